import { describe, expect, it } from 'vitest';
import type { EnteredAgent } from './conversation.ts';
import {
  type ConversationState,
  EMPTY_CONVERSATION_STATE,
  foldConversationState,
  modeOf,
} from './conversation-state.ts';
import type { RunEvent, RunFact } from './events.ts';

const agentNamed = (name: string): EnteredAgent => ({
  agentId: name.toLowerCase(),
  name,
  title: 'Analyst',
  package: { name: 'sample', version: '1.0.0', hash: 'a'.repeat(64) },
});
const bob: RunFact = { type: 'agent.entered', agent: agentNamed('Bob') };
const amy: RunFact = { type: 'agent.entered', agent: agentNamed('Amy') };
const dismissed: RunFact = { type: 'agent.dismissed', agentId: 'bob' };
const enter = (enteredRunId: string): RunFact => ({
  type: 'run.entered',
  enteredRunId,
  afterSeq: 0,
  title: 't',
});
const leave = (leftRunId: string): RunFact => ({ type: 'run.left', leftRunId });
const script: RunFact = { type: 'script.entered', path: '@pkg/tasks/review.md', inputs: [] };
const scriptOver: RunFact = { type: 'script.left', path: '@pkg/tasks/review.md' };
const menu: RunFact = { type: 'menu.shown', agentId: 'bob', entries: [] };
const choices: RunFact = { type: 'choice.offered', reason: 'r', candidates: [] };
const typed: RunFact = {
  type: 'command.resolved',
  input: '1',
  kind: 'RunAction',
  confidence: 'exact',
  reason: 'r',
};
const input: RunFact = { type: 'input.queued', content: 'hello' };
const directive: RunFact = {
  type: 'input.queued',
  content: 'DATA_CONTEXT',
  purpose: 'data',
  label: '@pkg/a.csv',
};
const waits: RunFact = { type: 'phase.changed', phase: 'WaitingUser' };

function fold(facts: readonly RunFact[]): ConversationState {
  return facts.reduce<ConversationState>(
    (state, fact, index) =>
      foldConversationState(state, {
        v: 1,
        seq: index + 1,
        ts: '2026-01-31T09:30:00.000Z',
        runId: 'c',
        ...fact,
      } as RunEvent),
    EMPTY_CONVERSATION_STATE,
  );
}

describe('the state of a conversation', () => {
  const cases: [what: string, facts: RunFact[], seen: string][] = [
    ['nothing happened', [], 'chat chat'],
    [
      'it began as a chat',
      [{ type: 'conversation.created', kind: 'chat', model: { kind: 'rehearsal' } }],
      'chat chat',
    ],
    ['an agent was entered', [bob], 'agent agent Bob'],
    ['another agent was entered', [bob, amy], 'agent agent Amy'],
    ['the agent was dismissed', [bob, dismissed], 'chat chat'],
    ['a run was entered', [enter('r1')], 'workflow run r1'],
    ['a run was entered from an agent', [bob, enter('r1')], 'agent run Bob r1'],
    ['the run was left', [bob, enter('r1'), leave('r1')], 'agent agent Bob (r1)'],
    ['another run was left', [enter('r1'), enter('r2'), leave('r1')], 'workflow run r2 (r1)'],
    ['a run was entered twice', [enter('r1'), leave('r1'), enter('r2'), enter('r1')], 'workflow run r1 (r2)'],
    ['an agent was entered in a run', [enter('r1'), amy], 'agent agent Amy (r1)'],
    ['the agent was dismissed in a run', [bob, enter('r1'), dismissed], 'chat chat (r1)'],
    ['a script was begun', [bob, script], 'agent run Bob @pkg/tasks/review.md'],
    ['a script is over', [bob, script, scriptOver], 'agent agent Bob'],
    ['a script was begun in a run', [bob, enter('r1'), script], 'agent run Bob @pkg/tasks/review.md (r1)'],
    ['a run was entered in a script', [bob, script, enter('r1')], 'agent run Bob r1'],
    ['a menu was shown', [bob, menu], 'agent agent Bob choosing'],
    ['choices were offered', [bob, choices], 'agent agent Bob choosing'],
    ['the menu was followed by input', [bob, menu, input], 'agent agent Bob'],
    ['the menu was followed by a command', [bob, menu, typed], 'agent agent Bob'],
    ['the menu was followed by a document', [bob, menu, directive], 'agent agent Bob choosing'],
    ['the menu was followed by neither', [bob, menu, waits], 'agent agent Bob choosing'],
    ['the menu led to a run', [bob, menu, typed, enter('r1')], 'agent run Bob r1'],
  ];
  it.each(cases)('[V17] is right when %s', (_, facts, seen) => {
    const state = fold(facts);
    const { kind, agent, activeRunId, script: current, runIds, choosing } = state;
    const others = runIds.filter((id) => id !== activeRunId);
    const parts = [
      kind,
      modeOf(state),
      agent?.name,
      activeRunId,
      current?.path,
      ...others.map((id) => `(${id})`),
      choosing ? 'choosing' : undefined,
    ];
    expect(parts.filter((part) => part !== undefined).join(' ')).toBe(seen);
  });

  it('[V17] keeps all runs in the order they were started, across agents', () => {
    const facts = [enter('r2'), bob, enter('r1'), leave('r1'), enter('r2'), dismissed, enter('r3'), amy];
    expect(fold(facts).runIds).toEqual(['r2', 'r1', 'r3']);
  });
});
