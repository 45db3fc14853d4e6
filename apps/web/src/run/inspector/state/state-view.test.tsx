import { ApiError } from '@crewagent/protocol/api/client';
import type { RunEvent } from '@crewagent/protocol/events';
import { createStory, type Story } from '@crewagent/protocol/story/story';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { cleanup } from 'vitest-browser-react';
import { useAppearance } from '../../../state/appearance.ts';
import { toShownStory } from '../../../state/conversation-store.ts';
import { hasStateDrafts } from '../../../state/state-drafts.ts';
import { findIssues } from '../../../testing/find-issues.ts';
import { renderServed } from '../../../testing/served.tsx';
import StateView from './state-view.tsx';

const HOSTILE = '<img src=x onerror="globalThis.wasHacked=1">\u202eevil';
const TEXT = '---\ncurrentNodeId: step-01\nstepsCompleted: []\n---\n';

const view: Story = {
  ...createStory('r'),
  nodes: [
    { id: 'step-01', title: 'Intake', type: 'step' },
    { id: 'step-02', title: HOSTILE, type: 'end' },
  ],
  state: {
    currentNodeId: 'step-01',
    stepsCompleted: ['step-02'],
    variables: { [HOSTILE]: HOSTILE, long: 'x'.repeat(100_000) },
    decisionLog: [{ from: 'step-01', to: 'step-02', label: HOSTILE, reason: HOSTILE }],
    artifacts: [HOSTILE],
  },
  phase: 'WaitingUser',
};

const stamp = { v: 1, runId: 'r', ts: '2026-01-01T00:00:00.000Z' } as const;
const log: RunEvent[] = [
  { ...stamp, seq: 1, type: 'tool.started', callId: 'c', name: 'fs.write', path: '@state/workflow.md' },
  {
    ...stamp,
    seq: 2,
    type: 'state.changed',
    from: 'step-01',
    to: 'step-02',
    label: HOSTILE,
    variables: {},
    stepsAdded: [],
    decisionsAdded: [],
    notes: [HOSTILE],
    sha256: 'a',
    diff: `@@ -1 +1 @@\n-a\n+${HOSTILE}`,
  },
];

interface Server {
  text: string;
  sha: string;
  readonly saved: { text: string; ifMatchSha256: string }[];
  readonly checked: string[];
  consents: number;
}

function serve(server: Server, refusal?: (text: string) => ApiError | undefined) {
  return {
    works: {
      state: () => Promise.resolve({ text: server.text, sha256: server.sha }),
      log: () => Promise.resolve({ events: log, lastSeq: 2 }),
      allowChange: () => {
        server.consents++;
        return Promise.resolve();
      },
      checkState: ({ body: { text } }: { body: { text: string } }) => {
        server.checked.push(text);
        const error = refusal?.(text);
        return Promise.resolve(
          error
            ? {
                ok: false,
                error: { code: error.code, message: error.message, details: { ...error.details } },
              }
            : { ok: true, from: 'step-01', to: 'step-01', notes: [] },
        );
      },
      editState: ({ body }: { body: { text: string; ifMatchSha256: string } }) => {
        server.saved.push(body);
        server.text = body.text;
        server.sha = `sha-${server.saved.length}`;
        return Promise.resolve({ text: body.text, sha256: server.sha, notes: [] });
      },
    },
  };
}

const newServer = (): Server => ({ text: TEXT, sha: 'sha-0', saved: [], checked: [], consents: 0 });

/** The editor is in a shadow root. */
async function typeAtEnd(text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'State document' }).click();
  await userEvent.keyboard(`{Control>}{End}{/Control}${text}`);
}

beforeAll(() => import('../../../ui/code/code-editor-mount.tsx'));
afterEach(() => cleanup());

describe('the state of a run', () => {
  it.each(['light', 'dark'] as const)(
    '[U7] shows hostile values as text, without axe violations, in the %s theme',
    async (theme) => {
      useAppearance.setState({ theme });
      const { container } = await renderServed(
        serve(newServer()),
        <StateView projectId="p" view={toShownStory(view)} />,
      );
      await page.getByRole('button', { name: 'History' }).click();
      await page
        .getByRole('list', { name: 'History' })
        .getByRole('button', { name: /by the model/ })
        .click();
      await expect.element(page.getByRole('group', { name: 'Changes' })).toBeVisible();
      await expect.element(page.getByRole('textbox', { name: 'State document' })).toBeVisible();
      expect(container.textContent).not.toMatch(/[\u202a-\u202e]/);
      expect(container.querySelector('img')).toBeNull();
      expect('wasHacked' in globalThis).toBe(false);
      expect(container.textContent?.length).toBeLessThan(20_000);
      expect(await findIssues(container)).toEqual([]);
    },
  );

  it.each([
    ['WaitingUser', 1],
    ['Completed', 0],
  ] as const)('[U19] shows the current node, unless the run is complete: %s', async (phase, times) => {
    await renderServed(
      serve(newServer()),
      <StateView projectId="p" view={toShownStory({ ...view, phase })} />,
    );
    await expect.element(page.getByText('Completed steps (1)')).toBeVisible();
    expect(page.getByText('Current step', { exact: true }).elements()).toHaveLength(times);
  });

  it('[U70] is validated while typing, and [U70] an allowed transition edits the text', async () => {
    const server = newServer();
    const refuse = (text: string): ApiError | undefined =>
      text.includes('currentNodeId: step-02')
        ? undefined
        : new ApiError(409, {
            code: 'E_INVALID_TRANSITION',
            message: 'No edge leads there.',
            details: { allowedNext: [{ to: 'step-02', label: 'next' }] },
          });
    await renderServed(serve(server, refuse), <StateView projectId="p" view={toShownStory(view)} />);
    await typeAtEnd('');
    // Typed without a pause, on a slow machine too: one request.
    for (const key of 'abc') document.execCommand('insertText', false, key);
    await expect.element(page.getByText('No edge leads there.')).toBeVisible();
    expect(server.checked).toEqual([`${TEXT}abc`]);
    await expect.element(page.getByRole('button', { name: 'Save' })).toBeDisabled();
    await page.getByRole('button', { name: /Go to/ }).click();
    await expect.element(page.getByText('Valid', { exact: true })).toBeVisible();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.element(page.getByText('State saved.')).toBeVisible();
    expect(server.saved).toEqual([
      { text: `${TEXT.replace('step-01', 'step-02')}abc`, ifMatchSha256: 'sha-0' },
    ]);
  });

  it('[U70] is reloaded after a conflict, and keeps the own text', async () => {
    const server = newServer();
    const panel = (shown: Story) => <StateView projectId="p" view={toShownStory(shown)} />;
    const { show } = await renderServed(serve(server), panel(view));
    await typeAtEnd('mine');
    await expect.element(page.getByText('Valid', { exact: true })).toBeVisible();
    server.text = `${TEXT}theirs`;
    server.sha = 'sha-theirs';
    // The view reports that the state changed.
    await show(panel({ ...view, state: { ...view.state } }));
    await expect.element(page.getByText('The document was changed in the meantime.')).toBeVisible();
    await expect.element(page.getByRole('button', { name: 'Save' })).toBeDisabled();
    await page.getByRole('button', { name: 'Reload' }).click();
    await expect.element(page.getByRole('textbox', { name: 'State document' })).toHaveTextContent(/theirs/);
    await expect.element(page.getByRole('group', { name: 'Your unsaved text' })).toHaveTextContent(/mine/);
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.element(page.getByText('State saved.')).toBeVisible();
    expect(server.saved).toEqual([{ text: `${TEXT}mine`, ifMatchSha256: 'sha-theirs' }]);
  });

  it('[U110] keeps unsaved text while another screen is open, per run', async () => {
    const server = newServer();
    const panel = (runId: string) => (
      <StateView key={runId} projectId="p" view={toShownStory({ ...view, runId })} />
    );
    const { show } = await renderServed(serve(server), panel('r'));
    await typeAtEnd('mine');
    await show(<p>Log</p>);
    await show(panel('another'));
    const document = page.getByRole('textbox', { name: 'State document' });
    await expect.element(document).not.toHaveTextContent(/mine/);
    await show(panel('r'));
    await expect.element(document).toHaveTextContent(/mine/);
    expect(hasStateDrafts()).toBe(true);
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.element(page.getByText('State saved.')).toBeVisible();
    expect(server.saved).toEqual([{ text: `${TEXT}mine`, ifMatchSha256: 'sha-0' }]);
    expect(hasStateDrafts()).toBe(false);
  });

  it('[U70] of a complete workflow is changed only after a confirmation', async () => {
    const server = newServer();
    const refuse = (): ApiError =>
      new ApiError(409, { code: 'STATE_CHANGE_REQUIRES_CONFIRMATION', message: 'It is complete.' });
    await renderServed(
      serve(server, refuse),
      <StateView projectId="p" view={toShownStory({ ...view, phase: 'Completed' })} />,
    );
    await typeAtEnd('abc');
    await expect.element(page.getByText('The workflow is completed.')).toBeVisible();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.element(page.getByRole('button', { name: 'Cancel' })).toHaveFocus();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect.element(page.getByRole('button', { name: 'Cancel' })).not.toBeInTheDocument();
    expect([server.consents, server.saved.length]).toEqual([0, 0]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Change state' }).click();
    await expect.element(page.getByText('State saved.')).toBeVisible();
    expect([server.consents, server.saved.length]).toEqual([1, 1]);
  });
});
