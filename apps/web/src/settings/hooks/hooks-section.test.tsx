import type { Hook } from '@crewagent/protocol/hooks';
import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { useAppearance } from '../../state/appearance.ts';
import { findIssues } from '../../testing/find-issues.ts';
import { renderServed } from '../../testing/served.tsx';
import { HooksSection } from './hooks-section.tsx';

const LINT: Hook = {
  ...{ enabled: true, on: ['node.before-leave'], timeoutSeconds: 10, onFailure: 'warn', sandbox: 'required' },
  ...{ command: 'node', args: ['lint.mjs'], network: false, hosts: [], folders: ['~/rules'], git: false },
};

async function renderHooks(listed: readonly object[] = [], refusal?: string) {
  const sent: object[] = [];
  const note =
    (name: string, answer?: object) =>
    async (request: object): Promise<object | undefined> => {
      sent.push({ name, ...request });
      return answer;
    };
  const hooks = {
    list: async () => ({ hooks: listed, refusal }),
    put: note('put'),
    remove: note('remove'),
    test: note('test', {}),
  };
  await renderServed(
    { hooks, projects: { list: async () => ({ projects: [] }) } },
    <main>
      <h1>Settings</h1>
      <h2>Hooks</h2>
      <HooksSection />
    </main>,
  );
  return sent;
}

const field = (name: string) => page.getByRole('textbox', { name });

describe('hooks in the settings', () => {
  it.each(['light', 'dark'] as const)('[O36] are added with a form: %s', async (theme) => {
    useAppearance.setState({ theme });
    const sent = await renderHooks();
    await expect.element(page.getByText('No hooks yet.')).toBeVisible();
    await page.getByRole('button', { name: 'Add hook' }).click();
    await expect.element(field('Name')).toHaveFocus();
    await expect.element(page.getByText('Choose at least one.')).toBeVisible();
    expect(sent).toEqual([]);
    await userEvent.fill(field('Name'), 'lint');
    await page.getByRole('checkbox', { name: 'Before a step is left (may deny)' }).click();
    await userEvent.fill(field('Program'), 'node');
    await userEvent.fill(field('Arguments'), 'lint.mjs');
    await expect.element(field('Arguments')).toHaveValue('lint.mjs');
    expect(await findIssues()).toEqual([]);
    await page.getByRole('button', { name: 'Add hook' }).click();
    await expect.element(page.getByText('lint was added.')).toBeVisible();
    expect(sent).toEqual([{ name: 'put', hook: 'lint', body: { hook: { ...LINT, folders: [] } } }]);
  });

  it('[O36] are changed, tested, switched off and removed; what the form does not show stays', async () => {
    const tested = { at: new Date().toISOString(), event: 'node.before-leave', deny: 'Not yet.' };
    const sent = await renderHooks([{ name: 'lint', hook: LINT, isRequired: false, tested }]);
    await expect.element(page.getByText(/it denies: Not yet\.$/)).toBeVisible();
    await page.getByRole('button', { name: 'Test lint' }).click();
    await page.getByRole('switch', { name: 'Call lint' }).click();
    await page.getByRole('button', { name: 'Edit lint' }).click();
    const list = page.getByRole('list', { name: 'Hooks' });
    await list.getByRole('switch', { name: 'Deny if it fails' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Remove lint' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await expect
      .poll(() => sent)
      .toEqual([
        { name: 'test', hook: 'lint', body: {} },
        { name: 'put', hook: 'lint', body: { hook: { ...LINT, enabled: false } } },
        { name: 'put', hook: 'lint', body: { hook: { ...LINT, onFailure: 'deny' } } },
        { name: 'remove', hook: 'lint' },
      ]);
  });

  it('[O36] show what a policy requires and forbids, in Chinese too', async () => {
    useAppearance.setState({ language: 'zh-CN' });
    const refusal = 'The policy of ACME does not allow hooks of your own (rule "hooks.enabled").';
    await renderHooks(
      [
        { name: 'audit', hook: LINT, isRequired: true },
        { name: 'mine', hook: LINT, isRequired: false, refusal },
      ],
      refusal,
    );
    await expect.element(page.getByText(refusal)).toBeVisible();
    await expect.element(page.getByText('由组织策略设置，不能更改。')).toBeVisible();
    await expect.element(page.getByRole('switch', { name: '启用 mine' })).toBeDisabled();
    expect(page.getByRole('button', { name: '编辑 audit' }).elements()).toEqual([]);
    expect(page.getByRole('button', { name: '添加钩子' }).elements()).toEqual([]);
    expect(await findIssues()).toEqual([]);
  });
});
