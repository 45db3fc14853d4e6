import { createApiClient } from '@crewagent/protocol/api/client';
import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { render } from 'vitest-browser-react';
import { openFile } from '../../state/open-files.ts';
import { findIssues } from '../../testing/find-issues.ts';
import { inConversation } from '../../testing/logs.ts';
import { HOSTILE, hostile, longLog, RUN_ID, runCreated, toLog } from '../../testing/made-events.ts';
import { renderConversation } from '../../testing/render-conversation.tsx';
import { Select } from '../../ui/forms/input.tsx';

describe('the inspector', () => {
  it('[U29] lists ten thousand calls, and mounts only the visible ones', async () => {
    await renderConversation(inConversation(longLog(40_000)));
    await page.getByRole('tab', { name: 'Tools' }).click();
    const calls = page.getByRole('region', { name: 'Tool calls' });
    await expect.element(page.getByText('10000 of 10000 calls')).toBeVisible();
    await expect.poll(() => calls.element().querySelectorAll('button').length).toBeGreaterThan(5);
    expect(calls.element().querySelectorAll('button').length).toBeLessThan(120);
    await page.getByLabelText('Search by path or name').fill('a9999.md');
    await expect.element(calls.getByRole('button')).toHaveTextContent('a9999.md');
  });

  it('does not say that nothing ran before anything of the Work has arrived', async () => {
    await renderConversation([]);
    await expect.element(page.getByRole('tab', { name: 'Progress' })).toBeVisible();
    await expect.element(page.getByRole('tab', { name: 'State' })).toBeVisible();
    await expect.element(page.getByText('No run yet')).not.toBeInTheDocument();
  });

  it('[U91] has one visible Stop button, also behind a file', async () => {
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

  it('[U19] opens the overview in its tab, whose unvisited nodes open in the inspector', async () => {
    const log = toLog(RUN_ID, [runCreated, { type: 'phase.changed', phase: 'Running' }]);
    await renderConversation(inConversation(log), {}, serverOf(log));
    await page.getByRole('button', { name: 'Open the overview' }).click();
    const panel = page.getByRole('tabpanel', { name: 'Overview' });
    await expect.element(panel.getByRole('region', { name: 'Workflow graph' })).toBeVisible();
    await panel.getByText('Summarise and close').click();
    await expect.element(page.getByRole('button', { name: 'All steps' })).toBeVisible();
    await expect.element(page.getByText('React Flow')).not.toBeInTheDocument();
  });

  it('shows the chosen run on one line, however long its name is', async () => {
    const { container } = await render(
      <div style={{ width: 200 }}>
        <Select
          aria-label="Viewing"
          value="a"
          onChoose={() => undefined}
          options={[{ value: 'a', label: 'Write a decision record · Waiting for you · 06:25 PM' }]}
        />
      </div>,
    );
    const select = container.querySelector('select');
    expect(select?.offsetHeight).toBeLessThan(40);
    expect(select?.scrollHeight).toBeLessThan(40);
  });

  it('[U19] scrolls to the current step of a long list', async () => {
    const nodes = Array.from({ length: 60 }, (_, index) => ({
      id: `s${index}`,
      title: `Step ${index}`,
      type: 'step' as const,
    }));
    const created = { ...runCreated, nodes, entryNodeId: 's41' } as RunFact;
    await renderConversation(
      inConversation(toLog(RUN_ID, [created, { type: 'phase.changed', phase: 'Running' }])),
    );
    const list = page.getByRole('list', { name: 'Workflow steps' });
    await expect.element(list.getByText('Step 41')).toBeInViewport();
    await expect.element(list.getByText('Step 2', { exact: true })).not.toBeInViewport();
  });

  it('undoes everything if there is nothing to choose, after a confirmation that names the files', async () => {
    const log = toLog(RUN_ID, hostile);
    await renderConversation(inConversation(log), {}, serverOf(log));
    await page.getByRole('tab', { name: 'Artifacts' }).click();
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Undo changes to 1 file?' });
    await expect.element(dialog.getByRole('listitem')).toBeVisible();
    await expect.element(dialog.getByRole('button', { name: 'Cancel' })).toHaveFocus();
    expect(await findIssues(dialog.element())).toEqual([]);
  });

  it('[U96] lists artifacts as one stop of the Tab key, with arrows', async () => {
    const log = toLog(RUN_ID, hostile);
    const server = serverOf(log);
    const { changes } = await server.works.changes({ workId: RUN_ID });
    const more = ['a.md', 'b.md', 'c.md'].map((name, index) => ({
      ...changes[0],
      changeId: index + 2,
      callId: `m${index}`,
      path: `@project/${name}`,
    }));
    const works = { ...server.works, changes: () => Promise.resolve({ changes: more }) };
    await renderConversation(inConversation(log), {}, { ...server, works } as typeof server);
    await page.getByRole('tab', { name: 'Artifacts' }).click();
    const rows = page.getByRole('list', { name: 'Artifacts' }).getByRole('button');
    await expect.element(rows.nth(2)).toBeVisible();
    const stops = () => rows.elements().map((row) => (row as HTMLElement).tabIndex);
    await expect.poll(stops).toEqual([0, -1, -1]);
    (rows.nth(0).element() as HTMLElement).focus();
    await userEvent.keyboard('{ArrowDown}');
    await expect.element(rows.nth(1)).toHaveFocus();
    await userEvent.keyboard('{End}');
    await expect.element(rows.nth(2)).toHaveFocus();
    expect(stops()).toEqual([-1, -1, 0]);
    await userEvent.keyboard('{Home}{Enter}');
    const details = page.getByRole('group', { name: 'Changes' }).first();
    await expect.element(details).toBeVisible();
    // Home and End scroll the details.
    (details.element() as HTMLElement).focus();
    await userEvent.keyboard('{End}');
    await expect.element(details).toHaveFocus();
  });

  it('[U7] shows untrusted text as text, in every tab', async () => {
    const log = toLog(RUN_ID, hostile);
    await renderConversation(inConversation(log), {}, serverOf(log));
    await page.getByRole('list', { name: 'Workflow steps' }).getByRole('button').first().click();
    await expect.element(page.getByRole('heading', { name: 'Instructions' })).toBeVisible();
    await page.getByRole('tab', { name: 'Artifacts' }).click();
    await page.getByRole('list', { name: 'Artifacts' }).getByRole('button').first().click();
    await expect.element(page.getByRole('group', { name: 'Changes' }).first()).toBeVisible();
    await page.getByRole('tab', { name: 'Tools' }).click();
    const calls = page.getByRole('region', { name: 'Tool calls' });
    await calls.getByRole('button').nth(1).click();
    await page.getByRole('tab', { name: 'Log' }).click();
    await page.getByRole('region', { name: 'Events' }).getByRole('button').nth(2).click();
    await expect.element(page.getByRole('group', { name: /^Event/ })).toBeVisible();
    expect(Reflect.get(globalThis, 'wasHacked')).toBeUndefined();
    expect(
      document.querySelectorAll(
        'img, iframe:not([src="/diagram-frame.html"]), script[src*="evil"], a[href^="javascript"]',
      ).length,
    ).toBe(0);
    expect(document.body.textContent).not.toMatch(/[\u202a-\u202e\u2066-\u2069]|\p{Cc}(?<![\t\n])/u);
  });
});

/** A server that knows one run and answers with hostile text. */
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
