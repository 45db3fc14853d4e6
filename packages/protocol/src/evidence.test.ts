import { describe, expect, it } from 'vitest';
import type { RunEvent, RunFact } from './events.ts';
import { createEvidence, describeTotals, toEvidence } from './evidence.ts';
import { foldStory } from './story/fold-story.ts';
import { durationOf } from './story/node-visits.ts';

const RUN = 'run-1';
const SHA = (digit: string): string => digit.repeat(64);

function log(...facts: (RunFact | object)[]): RunEvent[] {
  return facts.map((fact, index) => ({
    v: 1,
    seq: index + 1,
    ts: `2026-01-31T09:30:${String(index).padStart(2, '0')}.000Z`,
    runId: RUN,
    ...(fact as RunFact),
  })) as RunEvent[];
}

const CREATED = {
  type: 'run.created',
  package: { name: 'p', version: '1.0.0', hash: SHA('0') },
  workflow: { ref: 'w', title: 'W' },
  nodes: [
    { id: 'a', title: 'Write', type: 'step' },
    { id: 'b', title: 'End', type: 'end' },
  ],
  entryNodeId: 'a',
  activeAgentId: 'ann',
  model: { kind: 'rehearsal' },
  variables: {},
};
const moved = (from: string, to: string, more: object = {}): object => ({
  type: 'state.changed',
  from,
  to,
  variables: {},
  stepsAdded: [from],
  decisionsAdded: [],
  notes: [],
  sha256: SHA('1'),
  ...more,
});
const USAGE = { promptTokens: 10, completionTokens: 5, cachedTokens: 0 };

describe('the evidence sheet', () => {
  const events = log(
    CREATED,
    {
      type: 'visit.started',
      nodeId: 'a',
      visit: 1,
      patterns: ['@project/x.md'],
      files: [{ path: '@project/x.md', sha256: SHA('2') }],
    },
    {
      type: 'turn.started',
      turn: 1,
      nodeId: 'a',
      requestBytes: 1,
      requestSha256: SHA('9'),
      estimatedTokens: 1,
    },
    { type: 'turn.started', turn: 2, nodeId: 'a', requestBytes: 2, estimatedTokens: 1 },
    { type: 'usage.updated', turn: 1, usage: USAGE, total: USAGE },
    { type: 'transition.refused', from: 'a', to: 'b', message: 'no', code: 'E_PERSON_NOT_HEARD', checks: [] },
    { type: 'input.queued', content: 'C', speaker: 'flag' },
    { type: 'message.completed', role: 'user', purpose: 'input', nodeId: 'a', content: 'C' },
    {
      type: 'checks.judged',
      nodeId: 'a',
      visit: 1,
      checks: [
        { id: 'wait', kind: 'wait', ok: true, message: '' },
        { id: 'x.md', kind: 'change', path: '@project/x.md', ok: true, message: '' },
      ],
      files: [{ path: '@project/x.md', sha256: SHA('3'), bytes: 12 }],
    },
    moved('a', 'b', {
      label: 'next',
      decidedBy: 'flag',
      decisionsAdded: [{ from: 'a', to: 'b', label: 'next', reason: 'You chose C.' }],
    }),
    { type: 'turn.started', turn: 2, nodeId: 'b', requestBytes: 1, estimatedTokens: 1 },
    moved('b', 'b', { stepsAdded: ['b'] }),
    { type: 'phase.changed', phase: 'Completed' },
  );

  it('[L130] has the facts of each visit, and totals', () => {
    const sheet = toEvidence(RUN, events);
    expect(sheet.visits).toMatchObject([
      {
        nodeId: 'a',
        title: 'Write',
        outcome: 'proved',
        firstTurn: 1,
        requestSha256: SHA('9'),
        turns: 2,
        usage: USAGE,
        spoken: [{ kind: 'message', text: 'C', by: 'flag' }],
        files: [{ path: '@project/x.md', before: SHA('2'), after: SHA('3'), bytes: 12, isOutsideEdit: true }],
        refusals: { E_PERSON_NOT_HEARD: 1 },
        decision: { to: 'b', label: 'next', reason: 'You chose C.', by: 'flag' },
      },
      { nodeId: 'b', outcome: 'nothing', turns: 1 },
    ]);
    expect(describeTotals(sheet)).toBe('proved: 1 of 2 steps; 1 has nothing to prove');
    expect(sheet.isProved).toBe(true);
  });

  it('[L130] names who decided also where the move was found in the document after a crash', () => {
    const found = events.map((event) =>
      event.type === 'state.changed' ? { ...event, decidedBy: undefined } : event,
    );
    expect(toEvidence(RUN, found)).toEqual(toEvidence(RUN, events));
  });

  it('[L130] is the same from a copied log, and event by event', () => {
    const fold = createEvidence(RUN);
    for (const event of JSON.parse(JSON.stringify(events)) as RunEvent[]) fold.add(event);
    expect(fold.sheet()).toEqual(toEvidence(RUN, events));
  });

  it('[L130] is not proved with a waiver, a missing output, or before the run is complete', () => {
    const waived = { type: 'check.waived', nodeId: 'a', visit: 1, check: 'x.md', reason: 'Later.' };
    const end = { type: 'phase.changed', phase: 'Completed' };
    const withWaiver = toEvidence(RUN, log(CREATED, waived, moved('a', 'b'), end));
    expect(withWaiver).toMatchObject({
      isProved: false,
      waivers: [{ nodeId: 'a', check: 'x.md', reason: 'Later.' }],
      totals: { waived: 1 },
    });
    const missing = toEvidence(RUN, log(CREATED, moved('a', 'b', { outputsMissing: ['x.md'] }), end));
    expect(missing).toMatchObject({ isProved: false, missing: ['x.md'], totals: { missing: 1 } });
    expect(toEvidence(RUN, log(CREATED, moved('a', 'b')))).toMatchObject({
      isProved: false,
      totals: { open: 1 },
    });
  });

  it('[L130] is not proved if another program moved the run past its checks', () => {
    const started = { type: 'visit.started', nodeId: 'a', visit: 1, patterns: ['@project/x.md'], files: [] };
    const sheet = toEvidence(RUN, log(CREATED, started, moved('a', 'b', { isWhole: true })));
    expect(sheet).toMatchObject({ missing: ['@project/x.md'], visits: [{ outcome: 'missing' }, {}] });
  });

  it('[L130] counts a node by its last visit', () => {
    const again = moved('b', 'a', { isRewind: true });
    const sheet = toEvidence(
      RUN,
      log(CREATED, moved('a', 'b', { outputsMissing: ['x.md'] }), again, moved('a', 'b')),
    );
    expect(sheet.visits.map(({ nodeId, visit, outcome }) => [nodeId, visit, outcome])).toEqual([
      ['a', 1, 'missing'],
      ['b', 1, 'open'],
      ['a', 2, 'nothing'],
      ['b', 2, 'open'],
    ]);
    expect(sheet.missing).toEqual([]);
  });

  it('[L130] has the times of the story: a stopped run takes none, the way to the next node belongs to the last', () => {
    const turn = (number: number, nodeId: string): object => ({
      ...{ type: 'turn.started', turn: number, nodeId, requestBytes: 1, estimatedTokens: 1 },
    });
    const at = (minute: number, fact: object): object => ({
      ...fact,
      ts: `2026-01-31T09:${String(minute).padStart(2, '0')}:00.000Z`,
    });
    const facts = log(
      at(0, CREATED),
      at(1, turn(1, 'a')),
      at(3, { type: 'phase.changed', phase: 'WaitingUser', reason: { code: 'stopped', message: '' } }),
      at(33, { type: 'run.resumed' }),
      at(34, turn(2, 'a')),
      at(36, moved('a', 'b')),
      at(37, turn(3, 'b')),
      at(40, { type: 'phase.changed', phase: 'Completed' }),
    );
    const times = toEvidence(RUN, facts).visits.map(({ durationMs }) => durationMs);
    expect(times).toEqual(foldStory(RUN, facts).visits.map(durationOf));
    expect(times).toEqual([6 * 60_000, 3 * 60_000]);
  });
});
