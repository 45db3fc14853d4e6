import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import { describe, expect, it } from 'vitest';
import { foldStateHistory, NO_HISTORY } from './state-history.ts';

type EventOfState = Extract<RunFact, { type: 'state.changed' }>;

const changed: EventOfState = {
  type: 'state.changed',
  from: 'a',
  to: 'a',
  variables: { one: 1 },
  stepsAdded: [],
  decisionsAdded: [],
  notes: [],
  sha256: 'x',
};

const call = (name: string, path?: string): RunFact[] => [
  { type: 'tool.started', callId: 'c', name, ...(path === undefined ? {} : { path }) },
  { ...changed, diff: '@@ -1 +1 @@' },
  { type: 'tool.ended', callId: 'c', name, outcome: 'ok', durationMs: 1, content: '' },
];

const toLog = (facts: readonly RunFact[]): RunEvent[] =>
  facts.map((fact, index) => ({ v: 1, seq: index + 1, ts: '2026-01-01T00:00:00.000Z', runId: 'r', ...fact }));

describe('the history of the state', () => {
  it('[U70] records the author of each change, folded at once or page by page', () => {
    const log = toLog([
      ...call('fs.apply_patch', '@state/workflow.md'),
      ...call('runtime.complete_node'),
      ...call('ui.ask_user'),
      { ...changed, unset: ['two'] },
      { ...changed, isRewind: true },
      { ...changed, isWhole: true },
    ]);
    const whole = foldStateHistory(NO_HISTORY, log);
    expect(whole.changes.map(({ by }) => by)).toEqual([
      'model',
      'model',
      'person',
      'person',
      'rewind',
      'outside',
    ]);
    expect(whole.changes.map(({ values }) => values)).toEqual([1, 1, 1, 2, 1, 1]);
    const inPages = log.reduce((known, event) => foldStateHistory(known, [event, event]), NO_HISTORY);
    expect(inPages).toEqual(whole);
  });
});
