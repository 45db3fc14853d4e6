import { createApiClient } from '@crewagent/protocol/api/client';
import { afterEach, describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { render } from 'vitest-browser-react';
import { useAppearance } from '../../state/appearance.ts';
import { closeFile, openFile } from '../../state/open-files.ts';
import { findIssues } from '../../testing/find-issues.ts';
import { agentStoryLog, conversationIdOf, inConversation } from '../../testing/logs.ts';
import { eventful, RUN_ID, toLog } from '../../testing/made-events.ts';
import { NO_SERVER } from '../../testing/no-server.ts';
import { renderConversation } from '../../testing/render-conversation.tsx';
import { App } from '../app.tsx';

const log = inConversation(toLog(RUN_ID, eventful));

afterEach(() => page.viewport(1280, 800));

describe('the shell', () => {
  it.each([
    [1280, 'light'],
    [1280, 'dark'],
    [390, 'light'],
    [390, 'dark'],
  ] as const)('[U20] has no axe violations, %i pixels wide in the %s theme', async (width, theme) => {
    await page.viewport(width, 800);
    useAppearance.setState({ theme });
    history.replaceState(undefined, '', '/settings');
    await render(
      <div className="fixed inset-0">
        <App client={undefined} />
      </div>,
    );
    await expect.element(page.getByRole('heading', { name: 'Settings' })).toBeVisible();
    expect(await findIssues()).toEqual([]);
  });

  it('[U96] opens the palette with Ctrl+K, searches and navigates', async () => {
    await render(<App client={undefined} />);
    await userEvent.keyboard('{Control>}k{/Control}');
    await expect.element(page.getByRole('dialog', { name: 'Commands' })).toBeVisible();
    expect(await findIssues(page.getByRole('dialog').element())).toEqual([]);
    await userEvent.keyboard('settin{Enter}');
    await expect.element(page.getByRole('heading', { name: 'Settings' })).toBeVisible();
    expect(location.pathname).toBe('/settings');
    expect(document.activeElement?.id).toBe('main');
  });

  it('lists the project’s commands first, and omits the palette itself', async () => {
    await renderConversation(log);
    await userEvent.keyboard('{Control>}k{/Control}');
    const list = page.getByRole('listbox', { name: 'Commands' });
    await expect.element(list).toBeVisible();
    const names = list
      .getByRole('option')
      .elements()
      .map((option) => option.textContent);
    expect(names.slice(0, 2)).toEqual([expect.stringMatching(/^New conversation/), 'Activity']);
    expect(names.filter((name) => name.startsWith('Commands'))).toEqual([]);
    const groups = [...list.element().querySelectorAll('p')].map(({ textContent }) => textContent);
    expect(groups).toEqual([...new Set(groups)]);
  });

  /** Types into the open palette what each command is found by. */
  async function expectFound(rows: readonly (readonly [typed: string, found: RegExp])[]): Promise<void> {
    await userEvent.keyboard('{Control>}k{/Control}');
    for (const [typed, found] of rows) {
      await page.getByRole('combobox').fill(typed);
      await expect.element(page.getByRole('option').first()).toHaveTextContent(found);
    }
    // Enter runs the selected command, which follows the list with the next render.
    await expect.element(page.getByRole('option').first()).toHaveAttribute('aria-selected', 'true');
    await userEvent.keyboard('{Enter}');
  }

  it('[U96] finds what can be done in a conversation, by its name and by other words', async () => {
    await renderConversation(log);
    await expectFound([
      ['workflow', /^New conversation/],
      ['go back', /^Go back/],
      ['export', /^Export run as/],
      ['state', /^Run: State/],
    ]);
  });

  it('[U96] finds what can be done everywhere', async () => {
    await render(<App client={undefined} />);
    await expectFound([
      ['open folder', /^Open a folder/],
      ['permission', /^Settings: /],
      ['chinese', /^Language: 简体中文/],
      ['dark', /^Theme: Dark/],
    ]);
    await expect.poll(() => useAppearance.getState().theme).toBe('dark');
  });

  it('[U194] says that the page is signed out, with the command that opens it again, not that there is no server', async () => {
    const refusal = { error: { code: 'UNAUTHORIZED', message: 'Who are you?', details: {} } };
    const client = createApiClient({
      baseUrl: location.origin,
      token: 'old',
      fetch: () => Promise.resolve(Response.json(refusal, { status: 401 })),
    });
    await render(<App client={client} />);
    await expect.element(page.getByRole('heading', { name: 'CrewAgent restarted' })).toBeVisible();
    await expect.element(page.getByText('your drafts are saved')).toBeVisible();
    await expect.element(page.getByText('crewagent serve')).toBeVisible();
    await expect.element(page.getByRole('button', { name: 'Reconnect' })).toBeVisible();
    expect(await findIssues()).toEqual([]);
  });

  it('[U96] shows in the status bar how to open the palette', async () => {
    await renderConversation(log);
    await page
      .getByRole('region', { name: 'Status bar' })
      .getByRole('button', { name: /^Commands ?(Ctrl|⌘) ?K$/ })
      .click();
    await expect.element(page.getByRole('listbox', { name: 'Commands' })).toBeVisible();
  });

  it.each([1280, 390])('leads back to the project, %i pixels wide', async (width) => {
    await page.viewport(width, 800);
    const { screen } = await renderConversation(log);
    await screen.unmount();
    history.replaceState(undefined, '', '/settings');
    const elsewhere = await render(<App client={undefined} />);
    await page.getByRole('button', { name: 'Files' }).click();
    await expect.poll(() => location.pathname).toBe(`/p/p/w/${conversationIdOf(log)}`);
    await elsewhere.unmount();
  });

  it('shows Files and Activity in the rail even before a project was opened', async () => {
    history.replaceState(undefined, '', '/settings');
    const elsewhere = await render(<App client={undefined} />);
    const rail = page.getByRole('navigation', { name: 'Navigation' });
    expect(
      rail
        .getByRole('button')
        .elements()
        .map(({ textContent }) => textContent),
    ).toEqual(['Start', 'Files', 'Activity', 'Packages', 'Help', 'Settings']);
    await elsewhere.unmount();
  });

  it.each(['Files', 'Activity'])('asks for a folder with %s before there is a project', async (name) => {
    await render(<App client={NO_SERVER} />);
    await page.getByRole('navigation', { name: 'Navigation' }).getByRole('button', { name }).click();
    await expect.element(page.getByRole('dialog', { name: 'Where do you want to work?' })).toBeVisible();
  });

  it('[U96] switches to the next tab, and lists the shortcuts with ?, which can still be typed', async () => {
    await renderConversation(log);
    openFile('p', '@project/a.md');
    await expect.element(page.getByRole('tab', { name: 'a.md' })).toHaveAttribute('aria-selected', 'true');
    await userEvent.keyboard('{Alt>}{PageDown}{/Alt}');
    await expect.element(page.getByRole('tab', { name: 'a.md' })).toHaveAttribute('aria-selected', 'false');
    const input = document.body.appendChild(document.createElement('input'));
    input.focus();
    await userEvent.keyboard('?');
    await expect.poll(() => input.value).toBe('?');
    input.remove();
    await userEvent.keyboard('?');
    await expect
      .element(page.getByRole('dialog', { name: 'Keyboard shortcuts' }))
      .toHaveTextContent('Next tab');
    closeFile('p', '@project/a.md');
  });

  it.each([
    ['its shortcut', '{Control>}{Shift>}o{/Shift}{/Control}'],
    ['the palette', '{Control>}k{/Control}new conv{Enter}'],
  ])('shows New in front of an open file, with %s', async (_, keys) => {
    await renderConversation(log);
    openFile('p', '@project/a.md');
    await expect.element(page.getByRole('tab', { name: 'a.md' })).toHaveAttribute('aria-selected', 'true');
    await userEvent.keyboard(keys);
    await expect.element(page.getByRole('tab', { name: 'a.md' })).toHaveAttribute('aria-selected', 'false');
    expect(location.pathname).toBe('/p/p');
  });

  it('[U96] lists the current shortcuts', async () => {
    await render(<App client={undefined} />);
    await userEvent.keyboard('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await expect.element(help).toHaveTextContent('Settings');
  });

  it('[U96] lists the shortcuts with ? also on a radio button, where nothing can be typed', async () => {
    history.replaceState(undefined, '', '/settings');
    await render(<App client={undefined} />);
    await page.getByRole('radio', { name: 'Dark' }).click();
    await userEvent.keyboard('?');
    await expect.element(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
  });

  it('[U36] remembers for each project which panels are open', async () => {
    const first = await renderConversation(log);
    await page.getByRole('button', { name: 'Files' }).click();
    await expect.element(page.getByText('Files panel')).toBeVisible();
    await userEvent.keyboard('{Control>}i{/Control}');
    await expect.element(page.getByRole('tab', { name: 'Progress' })).not.toBeInTheDocument();
    await first.screen.unmount();
    await renderConversation(log);
    await expect.element(page.getByText('Files panel')).toBeVisible();
    await expect.element(page.getByRole('tab', { name: 'Progress' })).not.toBeInTheDocument();
    expect(JSON.parse(localStorage.getItem('crewagent.layouts') ?? '{}')).toMatchObject({
      state: { layouts: { p: { sidePanel: 'files', hasInspector: false } } },
    });
  });

  it('[U36] turns panels into sheets in narrow windows', async () => {
    await page.viewport(390, 800);
    await renderConversation(log);
    await page.getByRole('button', { name: 'Activity' }).click();
    const sheet = page.getByRole('dialog', { name: 'Activity' });
    await expect.element(sheet).toHaveTextContent('Works panel');
    expect(await findIssues(sheet.element())).toEqual([]);
    await userEvent.keyboard('{Escape}');
    await page.getByRole('button', { name: 'Toggle inspector' }).click();
    await expect.element(page.getByRole('dialog', { name: 'Run' })).toHaveTextContent('2 of 5 done');
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390);
  });

  it('applies theme, density and language immediately, keeps the focus, and has no flash on the next load', async () => {
    history.replaceState(undefined, '', '/settings');
    await render(<App client={undefined} />);
    await page.getByRole('radio', { name: 'Dark' }).click();
    await page.getByRole('radio', { name: 'Compact' }).click();
    await page.getByRole('radio', { name: '简体中文' }).click();
    await expect.element(page.getByRole('heading', { name: '设置' })).toBeVisible();
    expect({ ...document.documentElement.dataset }).toMatchObject({ theme: 'dark', density: 'compact' });
    expect(document.documentElement.lang).toBe('zh-CN');
    await expect.element(page.getByRole('radio', { name: '简体中文' })).toHaveFocus();
    // What `first-paint.js` does before the first paint.
    document.documentElement.dataset.theme = '';
    const script = document.createElement('script');
    script.src = '/first-paint.js';
    document.head.append(script);
    await expect.poll(() => document.documentElement.dataset.theme).toBe('dark');
  });

  it('keeps the conversation as the first tab, which cannot be closed', async () => {
    await renderConversation(log);
    (page.getByRole('tab', { name: 'Conversation' }).element() as HTMLElement).focus();
    await userEvent.keyboard('{Delete}');
    await expect.element(page.getByRole('tab', { name: 'Conversation' })).toBeVisible();
    await expect.element(page.getByRole('button', { name: 'Close Conversation' })).not.toBeInTheDocument();
  });

  it('[U10] sends the number of a pressed menu item, while the menu is active', async () => {
    const { api } = await renderConversation(agentStoryLog.slice(0, 4));
    await page.getByRole('button', { name: /create-story/ }).click();
    await expect.poll(() => api.sent).toEqual([['input', '1']]);
    for (const data of agentStoryLog.slice(4, 6)) api.tell({ type: 'event', data });
    await expect.element(page.getByRole('button', { name: /create-story/ })).toBeDisabled();
  });

  it('[U19] shows the graph, and the same as a list; no number is separated from its word', async () => {
    await renderConversation(log);
    const count = page.getByText(/^\d of \d done/);
    await expect.element(count).toBeVisible();
    expect(getComputedStyle(count.element()).whiteSpace).toBe('nowrap');
    const list = page.getByRole('list', { name: 'Workflow steps' });
    await expect.element(list).toHaveTextContent('Assess what exists');
    expect(list.element().querySelector('[aria-current=step]')?.textContent).toContain('Assess what exists');
    await expect.poll(() => document.querySelectorAll('.react-flow__node').length).toBe(5);
    await expect.poll(() => document.querySelectorAll('.react-flow__edge.is-taken').length).toBe(2);
  });
});
