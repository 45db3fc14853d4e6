import type { ApiClient } from '@crewagent/protocol/api/client';
import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import { toEvidence } from '@crewagent/protocol/evidence';
import { evidenceSchema } from '@crewagent/protocol/evidence-schema';
import { afterEach, describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { cleanup } from 'vitest-browser-react';
import { useAppearance } from '../../../state/appearance.ts';
import { changeLayout } from '../../../state/layout.ts';
import { findIssues } from '../../../testing/find-issues.ts';
import { inConversation } from '../../../testing/logs.ts';
import { HOSTILE, RUN_ID, runCreated, toLog } from '../../../testing/made-events.ts';
import { NO_SERVER } from '../../../testing/no-server.ts';
import { renderConversation } from '../../../testing/render-conversation.tsx';

afterEach(async () => {
  await cleanup();
  useAppearance.setState({ language: 'en' });
  changeLayout('p', { inspectorTab: 'progress' });
});

const INTAKE = 'step-01-intake';
const DECIDE = 'decide-02-project-type';
const END = 'end-99';
const FILE = '@project/artifacts/intake.md';

const moved = (from: string, to: string, more: object = {}): RunFact => ({
  type: 'state.changed',
  from,
  to,
  variables: {},
  stepsAdded: [from],
  decisionsAdded: [],
  notes: [],
  sha256: 'a',
  ...more,
});
const judged = (nodeId: string, checks: object[], files: object[] = []): RunFact =>
  ({ type: 'checks.judged', nodeId, visit: 1, checks, files }) as unknown as RunFact;
const met = (id: string, kind: string, path?: string): object => ({ id, kind, path, ok: true, message: '' });

/** One step proved, one accepted, one with nothing to prove. */
const FACTS: readonly RunFact[] = [
  runCreated,
  { type: 'phase.changed', phase: 'Running' },
  { type: 'visit.started', nodeId: INTAKE, visit: 1, patterns: [FILE], files: [] },
  { type: 'input.queued', content: 'Take option C.' },
  { type: 'message.completed', role: 'user', purpose: 'input', nodeId: INTAKE, content: 'Take option C.' },
  {
    type: 'turn.started',
    turn: 1,
    nodeId: INTAKE,
    requestBytes: 1,
    requestSha256: '0123456789abcdef'.repeat(4),
    estimatedTokens: 1,
  },
  {
    type: 'transition.refused',
    from: INTAKE,
    to: DECIDE,
    message: 'No.',
    code: 'E_OUTPUT_INCOMPLETE',
  } as RunFact,
  judged(
    INTAKE,
    [met('wait', 'wait'), met('artifacts/intake.md', 'headings', FILE)],
    [{ path: FILE, sha256: 'b'.repeat(64), bytes: 2_048 }],
  ),
  moved(INTAKE, DECIDE, {
    decidedBy: 'person',
    decisionsAdded: [{ from: INTAKE, to: DECIDE, label: 'next', reason: 'You took C.' }],
  }),
  { type: 'check.waived', nodeId: DECIDE, visit: 1, check: 'docs/prd.md', reason: HOSTILE },
  judged(DECIDE, [
    {
      id: 'docs/prd.md',
      kind: 'headings',
      ok: false,
      message: 'docs/prd.md lacks the heading "Risks".',
      isWaived: true,
    },
  ]),
  moved(DECIDE, END),
];
const OVER: RunFact = { type: 'phase.changed', phase: 'Completed' };

/** Answers as the server does: with the fold of the log that it has at that moment. */
const servedBy = (log: () => readonly RunEvent[]): ApiClient => ({
  ...NO_SERVER,
  works: {
    ...NO_SERVER.works,
    evidence: () => Promise.resolve(evidenceSchema.parse(toEvidence(RUN_ID, log()))),
  },
});

async function show(facts: readonly RunFact[]) {
  const log = toLog(RUN_ID, facts);
  return renderConversation(
    inConversation(log),
    {},
    servedBy(() => log),
  );
}

const visits = () => page.getByRole('list', { name: 'Steps and what proves them' });
const LINE = 'Proved: 1 of 3 steps · 1 accepted by you · 1 has nothing to prove';

/** On the closing card and in the tab. */
const expectTwice = (line: string) => expect.poll(() => page.getByText(line).elements()).toHaveLength(2);

describe('the evidence of a run', () => {
  it('[U45] is one line of the closing card, which opens the tab', async () => {
    await show([...FACTS, OVER]);
    const card = page.getByRole('region', { name: 'Result of the run' });
    await expect.element(card.getByText(LINE)).toBeVisible();
    await card.getByRole('button', { name: 'Show evidence' }).click();
    await expect
      .element(page.getByRole('tab', { name: 'Evidence' }))
      .toHaveAttribute('aria-selected', 'true');
    await expect.element(visits()).toBeVisible();
    expect(await findIssues()).toEqual([]);
  });

  it('[U45] is not mentioned where no step declares anything', async () => {
    await show([runCreated, moved(INTAKE, END), OVER]);
    await expect.element(page.getByRole('button', { name: 'Start your own' })).toBeVisible();
    await expect.element(page.getByRole('button', { name: 'Show evidence' })).not.toBeInTheDocument();
  });

  it('[U540] lists the facts of each visit; what was accepted is open', async () => {
    changeLayout('p', { inspectorTab: 'evidence' });
    await show([...FACTS, OVER]);
    await expect.element(visits()).toBeVisible();
    const open = [...visits().element().querySelectorAll('details')].map((visit) => visit.open);
    expect(open).toEqual([false, true, false]);
    await visits().getByText('Intake', { exact: true }).click();
    for (const text of [
      'You: Take option C.',
      'First request: no. 1 · 0123456789ab',
      'artifacts/intake.md · 2 kB · new · changed by another program',
      'You were heard',
      'artifacts/intake.md · Has its headings',
      '1 attempt to go on was refused',
      'docs/prd.md lacks the heading "Risks".',
    ])
      await expect.poll(() => visits().element().textContent).toContain(text);
    expect(visits().element().textContent).toContain(
      'Next, as you chose: Decide the project typeYou took C.',
    );
    expect(visits().element().textContent).toContain('You accepted it without docs/prd.md: <img src=x');
    expect('wasHacked' in globalThis).toBe(false);
    expect(await findIssues()).toEqual([]);
  });

  it('[U540] follows the run, and is what a reload shows', async () => {
    changeLayout('p', { inspectorTab: 'evidence' });
    const log = toLog(RUN_ID, [...FACTS, OVER]);
    const whole = inConversation(log);
    const shown = whole.slice(0, whole.length - 4);
    let known = log.slice(0, log.length - 4);
    const { api } = await renderConversation(
      shown,
      {},
      servedBy(() => known),
    );
    await expect.element(page.getByText('Proved: 1 of 2 steps · 1 not finished')).toBeVisible();
    known = log;
    for (const data of whole.slice(shown.length)) api.tell({ type: 'event', data });
    await expectTwice(LINE);
    const live = visits().element().textContent;
    await cleanup();
    await show([...FACTS, OVER]);
    await expect.element(visits()).toBeVisible();
    expect(visits().element().textContent).toBe(live);
  });

  it('[U540] is shown in Chinese', async () => {
    useAppearance.setState({ language: 'zh-CN' });
    changeLayout('p', { inspectorTab: 'evidence' });
    await show([...FACTS, OVER]);
    const line = '已证实：1 / 3 个步骤 · 1 个由你放行 · 1 个无需证明';
    await expectTwice(line);
    expect(await findIssues()).toEqual([]);
  });
});
