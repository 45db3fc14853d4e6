import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import { describe, expect, it } from 'vitest';
import { createNarrator } from './narrate-run.ts';

const THREAD = '01a1de72-d3a9-711e-850c-a18013d74f28';
const RUN = '01a1de72-d3cb-727b-a27d-e5a66e580309';
const AGENT = {
  agentId: 'sm',
  name: 'Bob\u001b[31m',
  title: 'Scrum Master',
  icon: '🏃',
  package: { name: 'p', version: '1.0.0', hash: 'a'.repeat(64) },
};

function story(facts: readonly (RunFact & { runId?: string })[], { isTyped = false } = {}): string {
  const narrator = createNarrator({
    style: (_, text) => text,
    width: 80,
    nodesOf: (runId) => (runId === RUN ? [{ id: 'a', title: 'First' }] : []),
    isTyped,
  });
  const events = facts.map(
    (fact, index) =>
      ({ v: 1, seq: index + 1, ts: '2026-01-01T00:00:00.000Z', runId: THREAD, ...fact }) as RunEvent,
  );
  return events.map((event) => narrator.tell(event)).join('') + narrator.pause();
}

const command = (
  input: string,
  kind: 'StartWorkflow' | 'Refused',
  confidence: 'exact' | 'high' = 'exact',
): RunFact => ({ type: 'command.resolved', input, kind, confidence, reason: 'It fits.' });
const turn: RunFact = { type: 'turn.started', turn: 1, nodeId: 'a', requestBytes: 1, estimatedTokens: 1 };

describe('the story of a conversation', () => {
  it('[C35] tells whom one talks to, and runs as they are told alone', () => {
    const facts = [
      { type: 'agent.entered', agent: AGENT },
      command('1', 'StartWorkflow'),
      { type: 'run.entered', enteredRunId: RUN, afterSeq: 0, title: 'Story' },
      { ...turn, runId: RUN },
      { type: 'run.left', leftRunId: RUN },
      { type: 'run.entered', enteredRunId: RUN, afterSeq: 4, title: 'Story' },
      { ...turn, runId: RUN },
      { type: 'agent.dismissed', agentId: 'sm' },
    ] as const;
    expect(story(facts)).toBe(
      [
        '◆ 🏃 Bob\uFFFD[31m, Scrum Master',
        '  › 1',
        '◆ Story run 6e580309',
        '▸ 1/1 First',
        '◇ Left run 6e580309.',
        '◆ Story run 6e580309',
        '▸ 1/1 First',
        '◇ The agent is dismissed; what you say now is plain chat.',
        '',
      ].join('\n'),
    );
    expect(story(facts, { isTyped: true })).not.toContain('›');
  });

  it('[C35] says what was meant where it was guessed, and why it was refused', () => {
    expect(story([command('stor', 'StartWorkflow', 'high')], { isTyped: true })).toBe('  → It fits.\n');
    const error: RunFact = { type: 'error', code: 'DataLoadFailed', message: 'There is no such file.' };
    expect(story([command('load', 'Refused'), error])).toBe('  › load\n  ! There is no such file.\n');
  });

  it('[C35] names what goes to the model beside words, and not its text', () => {
    expect(
      story([
        { type: 'input.queued', content: 'DATA', purpose: 'data', label: '@pkg/a.csv' },
        { type: 'input.queued', content: 'DO', purpose: 'directive', label: '#check' },
        { type: 'input.queued', content: 'A note', purpose: 'directive' },
        { type: 'message.completed', role: 'user', purpose: 'data', content: 'DATA' },
        { type: 'message.completed', role: 'user', purpose: 'directive', content: 'DO' },
        { type: 'script.entered', path: '@pkg/tasks/a.md', inputs: [] },
        { type: 'script.left', path: '@pkg/tasks/a.md' },
        { type: 'consent.given' },
      ]),
    ).toBe(
      [
        '  + data @pkg/a.csv',
        '  + told #check',
        '◆ @pkg/tasks/a.md',
        '◇ @pkg/tasks/a.md is over.',
        '  One change after the end is allowed.',
        '',
      ].join('\n'),
    );
  });

  it('[C35] answers what was asked of the runtime', () => {
    const usage = { promptTokens: 1200, completionTokens: 30, cachedTokens: 0 };
    const context = { contextTokens: 128000, requestTokens: 1500, turns: 2, usage };
    const told = story([
      { type: 'info.shown', topic: 'help', details: {} },
      { type: 'info.shown', topic: 'model', details: { model: { kind: 'rehearsal' } } },
      { type: 'info.shown', topic: 'context', details: context },
      {
        type: 'changes.undone',
        direction: 'undo',
        selection: { all: true },
        files: [{ path: '@project/a', outcome: 'deleted' }],
      },
    ]);
    expect(told).toMatch(/^ {2}\/menu {5}show the agent's menu\n {2}\/help {5}show/);
    expect(told).toContain('  model    rehearsal (no model; results are placeholders)\n');
    expect(told).toContain('  context  1,500 of 128,000 tokens in the last request\n');
    expect(told).toContain('  used     2 turns · 1,200 tokens in, 30 out\n');
    expect(told).toContain('✔ @project/a removed\n');
  });
});
