import { createApiClient } from '@crewagent/protocol/api/client';
import type { JournalEntry } from '@crewagent/protocol/journal';
import { afterEach, describe, expect, it } from 'vitest';
import { type Locator, page, userEvent } from 'vitest/browser';
import { cleanup } from 'vitest-browser-react';
import { useAppearance } from '../../../state/appearance.ts';
import { useLayouts } from '../../../state/layout.ts';
import { inConversation } from '../../../testing/logs.ts';
import { eventful, RUN_ID, toLog } from '../../../testing/made-events.ts';
import { renderConversation } from '../../../testing/render-conversation.tsx';

const INTAKE: JournalEntry = {
  changeId: 1,
  at: '2026-11-15T09:30:00.000Z',
  callId: 'c5',
  nodeId: 'step-01-intake',
  path: '@project/artifacts/intake.md',
  kind: 'created',
  bytesBefore: 0,
  bytesAfter: 40,
  undone: false,
  undoable: true,
};

/** A server with the journal of one run. */
function serve(journal: JournalEntry[]) {
  const moved: unknown[] = [];
  const move = async (path: string, body: unknown) => {
    moved.push([path, JSON.parse(String(body)) as unknown]);
    const undone = path.endsWith('/undo');
    for (const [index, change] of journal.entries()) journal[index] = { ...change, undone };
    return {
      files: journal.map(({ path: file }) => ({ path: file, outcome: undone ? 'deleted' : 'recreated' })),
    };
  };
  const client = createApiClient({
    baseUrl: location.origin,
    token: 'none',
    fetch: async (url, init) => {
      const { pathname } = new URL(String(url));
      if (pathname.endsWith(`/works/${RUN_ID}/changes`)) return Response.json({ changes: journal });
      if (/\/(?:un|re)do$/.test(pathname)) return Response.json(await move(pathname, init?.body));
      throw new Error('Unexpected request.');
    },
  });
  return { client, moved };
}

async function openWrite(journal: JournalEntry[]) {
  const { client, moved } = serve(journal);
  await renderConversation(inConversation(toLog(RUN_ID, eventful)), {}, client);
  const story = page.getByRole('region', { name: 'Timeline' });
  await expect.element(story).toBeVisible();
  story.element().scrollTop = 0;
  await page.getByRole('button', { name: /Wrote/ }).click();
  await expect.element(page.getByRole('group', { name: 'Text' })).toBeVisible();
  return { story, moved };
}

/** A column of a table that is called "Open" can be sorted by a button. */
function openButtons(story: Locator): Element[] {
  const found = story.getByRole('button', { name: 'Open', exact: true }).elements();
  return found.filter((button) => button.closest('table') === null);
}

it('the path in the line of a call opens its file', async () => {
  const { client } = serve([INTAKE]);
  await renderConversation(inConversation(toLog(RUN_ID, eventful)), {}, client);
  const story = page.getByRole('region', { name: 'Timeline' });
  await expect.element(story).toBeVisible();
  story.element().scrollTop = 0;
  const line = page.getByRole('button', { name: /Wrote/ });
  await line.getByText('artifacts/intake.md').click();
  await expect.poll(() => Object.values(useLayouts.getState().layouts)[0]?.openFiles).toEqual([INTAKE.path]);
});

afterEach(cleanup);

describe('a change in the timeline', () => {
  it('[U66] is undone and redone, and its file can be opened while it exists', async () => {
    const { story, moved } = await openWrite([{ ...INTAKE }]);
    await expect.poll(() => openButtons(story)).toHaveLength(1);
    await story.getByRole('button', { name: /^Undo the change to artifacts\/intake\.md/ }).click();
    await expect.element(page.getByText('Undid changes to 1 file')).toBeVisible();
    await expect.poll(() => openButtons(story)).toHaveLength(0);
    await story.getByRole('button', { name: /^Redo the change/ }).click();
    await expect.poll(() => openButtons(story)).toHaveLength(1);
    await userEvent.click(openButtons(story)[0] ?? document.body);
    await expect.element(page.getByRole('tab', { name: 'intake.md' })).toBeVisible();
    expect(moved).toEqual([
      [expect.stringMatching(/\/undo$/), { callId: 'c5' }],
      [expect.stringMatching(/\/redo$/), { callId: 'c5' }],
    ]);
  });

  it('[U66] that is not in the journal has no actions', async () => {
    const { story } = await openWrite([{ ...INTAKE, undoable: false }]);
    await expect.poll(() => openButtons(story)).toHaveLength(1);
    await expect.element(story.getByRole('button', { name: /^Undo the change/ })).not.toBeInTheDocument();
  });

  it.each([
    ['en', 'Not undone.', /not undone: a later step changed it/, 'Undo the later change too'],
    ['zh-CN', '未撤销。', /未撤销：之后的步骤又改过它/, '一并撤销之后的改动'],
  ] as const)(
    '[U66] that a later step changed again is undone together with it, [U66] and until then not at all, in %s',
    async (language, title, why, both) => {
      const journal = [INTAKE, { ...INTAKE, changeId: 2, callId: 'c7', kind: 'changed' as const }];
      const asked: unknown[] = [];
      const client = createApiClient({
        baseUrl: location.origin,
        token: 'none',
        fetch: async (url, init) => {
          const { pathname } = new URL(String(url));
          if (pathname.endsWith('/changes')) return Response.json({ changes: journal });
          if (!pathname.endsWith('/undo')) throw new Error('Unexpected request.');
          asked.push(JSON.parse(String(init?.body)));
          const file = { path: INTAKE.path, reason: 'Call c7 changed it later; undo that first.' };
          const refused = { ...file, outcome: 'conflict', cause: 'later-change' };
          return Response.json({
            files: [asked.length === 1 ? refused : { path: INTAKE.path, outcome: 'restored' }],
          });
        },
      });
      useAppearance.setState({ language });
      await renderConversation(inConversation(toLog(RUN_ID, eventful)), {}, client);
      const story = page.getByRole('region', { name: /Timeline|过程/ });
      await expect.element(story).toBeVisible();
      story.element().scrollTop = 0;
      await page
        .getByRole('button', { name: /intake\.md/ })
        .first()
        .click();
      await story.getByRole('button', { name: /(Undo|撤销).*intake\.md/ }).click();
      await expect.element(story.getByText(why)).toBeVisible();
      await expect.element(story.getByText(title, { exact: true })).toBeVisible();
      await story.getByRole('button', { name: both }).click();
      await expect.poll(() => asked).toEqual([{ callId: 'c5' }, { callId: 'c7' }, { callId: 'c5' }]);
      useAppearance.setState({ language: 'en' });
    },
  );
});
