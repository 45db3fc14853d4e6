import { createApiClient } from '@crewagent/protocol/api/client';
import type { RunEvent } from '@crewagent/protocol/events';
import { afterEach, describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { cleanup } from 'vitest-browser-react';
import { openFile } from '../../state/open-files.ts';
import { findIssues } from '../../testing/find-issues.ts';
import { inConversation } from '../../testing/logs.ts';
import { HOSTILE, hostile, longLog, RUN_ID, runCreated, toLog } from '../../testing/made-events.ts';
import { renderConversation } from '../../testing/render-conversation.tsx';

afterEach(cleanup);

describe('the inspector', () => {
  it('[U64] lists ten thousand calls, and has on the page what is in sight', async () => {
    await renderConversation(inConversation(longLog(40_000)));
    await page.getByRole('tab', { name: 'Tools' }).click();
    const calls = page.getByRole('region', { name: 'Calls' });
    await expect.element(page.getByText('10000 of 10000 calls')).toBeVisible();
    await expect.poll(() => calls.element().querySelectorAll('button').length).toBeGreaterThan(5);
    expect(calls.element().querySelectorAll('button').length).toBeLessThan(120);
    await page.getByLabelText('Search by path or name').fill('a9999.md');
    await expect.element(calls.getByRole('button')).toHaveTextContent('a9999.md');
  });

  it('[U69] has one Stop in sight, also behind a file', async () => {
    await renderConversation(
      inConversation(toLog(RUN_ID, [runCreated, { type: 'phase.changed', phase: 'Running' }])),
    );
    await expect.element(page.getByRole('button', { name: 'Stop' })).toBeVisible();
    expect(page.getByRole('button', { name: 'Stop' }).elements()).toHaveLength(1);
    openFile('p', '@project/a.md');
    await expect.element(page.getByRole('tab', { name: 'a.md' })).toBeVisible();
    await expect.element(page.getByRole('button', { name: 'Stop' })).toBeVisible();
    expect(page.getByRole('button', { name: 'Stop' }).elements()).toHaveLength(1);
  });

  it('[U63] undoes all at once where there is nothing to choose, and asks with the names of the files', async () => {
    const log = toLog(RUN_ID, hostile);
    await renderConversation(inConversation(log), {}, serverOf(log));
    await page.getByRole('tab', { name: 'Artifacts' }).click();
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Undo the changes of 1 file?' });
    await expect.element(dialog.getByRole('listitem')).toBeVisible();
    await expect.element(dialog.getByRole('button', { name: 'Cancel' })).toHaveFocus();
    expect(await findIssues(dialog.element())).toEqual([]);
  });

  it('[U7] shows what others wrote as text, in every tab', async () => {
    const log = toLog(RUN_ID, hostile);
    await renderConversation(inConversation(log), {}, serverOf(log));
    await page.getByRole('list', { name: 'Steps of the workflow' }).getByRole('button').first().click();
    await expect.element(page.getByRole('heading', { name: 'Instructions' })).toBeVisible();
    await page.getByRole('tab', { name: 'Artifacts' }).click();
    await page.getByRole('list', { name: 'Artifacts' }).getByRole('button').first().click();
    await expect.element(page.getByRole('group', { name: 'What changed' }).first()).toBeVisible();
    await page.getByRole('tab', { name: 'Tools' }).click();
    const calls = page.getByRole('region', { name: 'Calls' });
    await calls.getByRole('button').nth(1).click();
    await page.getByRole('tab', { name: 'Log' }).click();
    await page.getByRole('region', { name: 'Events' }).getByRole('button').nth(2).click();
    await expect.element(page.getByRole('group', { name: /^Event/ })).toBeVisible();
    expect(Reflect.get(globalThis, 'wasHacked')).toBeUndefined();
    expect(document.querySelectorAll('img, iframe, script[src*="evil"], a[href^="javascript"]').length).toBe(
      0,
    );
    expect(document.body.textContent).not.toMatch(/[\u202a-\u202e\u2066-\u2069]|\p{Cc}(?<![\t\n])/u);
  });
});

/** A server that knows one run, and means no good. */
function serverOf(events: readonly RunEvent[]) {
  const path = `@project/${HOSTILE.slice(0, 60).replaceAll('/', ' ')}`;
  const change = {
    changeId: 1,
    at: '2026-11-15T09:30:00.000Z',
    callId: 'h1',
    nodeId: HOSTILE,
    path,
    kind: 'created',
    bytesBefore: 0,
    bytesAfter: 1,
    undone: false,
    undoable: true,
  };
  const node = {
    id: 'x',
    type: 'step',
    title: HOSTILE,
    inputs: [HOSTILE],
    outputs: [HOSTILE],
    setsVariables: [HOSTILE],
  };
  const answers: readonly (readonly [RegExp, unknown])[] = [
    [/\/log\?/, { events, lastSeq: events.length }],
    [/\/changes$/, { changes: [change] }],
    [/\/file-diff\?/, { path, diff: `--- a\n+++ b\n@@ -0,0 +1 @@\n+${HOSTILE}` }],
    [/\/nodes\//, { node, text: `---\ntitle: x\n---\n# ${HOSTILE}\n\n${HOSTILE}` }],
  ];
  return createApiClient({
    baseUrl: location.origin,
    token: 'none',
    fetch: (url) => {
      const answer = answers.find(([pattern]) => pattern.test(String(url)));
      return answer ? Promise.resolve(Response.json(answer[1])) : Promise.reject(new Error(HOSTILE));
    },
  });
}
