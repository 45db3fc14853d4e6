import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { useAppearance } from '../../state/appearance.ts';
import { findIssues } from '../../testing/find-issues.ts';
import { renderServed } from '../../testing/served.tsx';
import { AddServer } from './add-server.tsx';

async function renderForm() {
  const sent: unknown[] = [];
  await renderServed(
    { servers: { put: async (request: unknown) => void sent.push(request) } },
    <main>
      <h1>Settings</h1>
      <h2>MCP servers</h2>
      <AddServer />
    </main>,
  );
  return sent;
}

/** The sentence that is read with a field. */
function describedBy(element: Element): string {
  return document.getElementById(element.getAttribute('aria-describedby') ?? '')?.textContent ?? '';
}

describe('a form that cannot be sent', () => {
  it('[U87] says at each field what is wrong, and the first one has the focus', async () => {
    const sent = await renderForm();
    await page.getByRole('button', { name: 'Add server' }).click();
    const name = page.getByRole('textbox', { name: 'Name' });
    const program = page.getByRole('textbox', { name: 'Program' });
    await expect.element(name).toHaveFocus();
    await expect.element(program).toHaveAttribute('aria-invalid', 'true');
    expect([name, program].map((field) => describedBy(field.element()))).toEqual([
      'Enter a value.',
      'Enter a value.',
    ]);
    expect(await findIssues()).toEqual([]);
    await userEvent.fill(name, 'my_server');
    await userEvent.fill(program, 'npx');
    await userEvent.keyboard('{Enter}');
    await expect.element(name).toHaveFocus();
    await expect.element(name).toHaveAccessibleDescription(/^Use up to 32 letters/);
    await expect.element(program).not.toHaveAttribute('aria-invalid');
    expect(sent).toEqual([]);
    await userEvent.fill(name, 'mine');
    await userEvent.keyboard('{Enter}');
    await expect.element(page.getByText('mine was added.')).toBeVisible();
    expect(sent).toEqual([
      {
        server: 'mine',
        body: {
          server: {
            enabled: true,
            trusted: false,
            disabledTools: [],
            command: 'npx',
            args: [],
            env: [],
            inheritEnv: [],
          },
          values: {},
        },
      },
    ]);
  });

  it('[U87] does so in Chinese, for the fields of the chosen kind', async () => {
    useAppearance.setState({ language: 'zh-CN' });
    await renderForm();
    await page.getByText('网址（streamable HTTP）').click();
    await userEvent.fill(page.getByRole('textbox', { name: '名称' }), 'far');
    await userEvent.fill(page.getByRole('textbox', { name: 'URL 地址' }), 'tickets');
    await page.getByRole('button', { name: '添加服务器' }).click();
    const url = page.getByRole('textbox', { name: 'URL 地址' });
    await expect.element(url).toHaveFocus();
    await expect.element(url).toHaveAccessibleDescription('请输入如 https://example.com 的地址。');
    expect(await findIssues()).toEqual([]);
  });
});
