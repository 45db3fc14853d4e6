import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import { addToWorkStory, createWorkStory } from '@crewagent/protocol/story/work-story';
import { describe, expect, it } from 'vitest';
import { LiveText } from './live-text.ts';

const THREAD = '01a1de72-d3a9-711e-850c-a18013d74f28';
const RUN = '01a1de72-d3cb-727b-a27d-e5a66e580309';
const AGENT = {
  agentId: 'sm',
  name: 'Bob\u001b[31m',
  title: 'Scrum Master',
  icon: '🏃',
  package: { name: 'p', version: '1.0.0', hash: 'a'.repeat(64) },
};

const CREATED: RunEvent = {
  ...{ v: 1, seq: 1, ts: '2026-01-01T00:00:00.000Z', runId: RUN, type: 'run.created' },
  package: AGENT.package,
  workflow: { ref: 'w', title: 'Story' },
  nodes: [{ id: 'a', title: 'First', type: 'step' }],
  entryNodeId: 'a',
  activeAgentId: 'sm',
  model: { kind: 'rehearsal' },
  variables: {},
};

function narrate(facts: readonly (RunFact & { runId?: string })[], { isTyped = false } = {}): string {
  const view = createWorkStory(THREAD);
  addToWorkStory(view, CREATED);
  const style = (_: string, text: string): string => text;
  const live = new LiveText({ style, width: 80, language: 'en', view, isTyped });
  const events = facts.map(
    (fact, index) =>
      ({ v: 1, seq: index + 2, ts: '2026-01-01T00:00:00.000Z', runId: THREAD, ...fact }) as RunEvent,
  );
  const texts = events.map((event) => {
    addToWorkStory(view, event);
    return live.add(event);
  });
  return texts.join('') + live.pause();
}

const command = (
  input: string,
  kind: 'StartWorkflow' | 'Refused',
  confidence: 'exact' | 'high' = 'exact',
): RunFact => ({ type: 'command.resolved', input, kind, confidence, reason: 'It fits.' });
const turn: RunFact = { type: 'turn.started', turn: 1, nodeId: 'a', requestBytes: 1, estimatedTokens: 1 };

describe('narrating a conversation', () => {
  it('[C13] prints agents, and runs as the run command does', () => {
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
    expect(narrate(facts)).toBe(
      [
        '◆ Now talking to Bob\uFFFD[31m, Scrum Master',
        '  › 1',
        '◆ Started Story (run 6e580309)',
        '▸ 1/1 First',
        '  ◇ Left the run; it can be resumed (run 6e580309)',
        '◆ Resumed Story (run 6e580309)',
        '▸ 1/1 First',
        '  ◇ Left Bob\uFFFD[31m; this is a plain chat now',
        '',
      ].join('\n'),
    );
    expect(narrate(facts, { isTyped: true })).not.toContain('›');
  });

  it('[C13] prints guessed commands and why a command was rejected', () => {
    expect(narrate([command('stor', 'StartWorkflow', 'high')], { isTyped: true })).toBe('  → It fits.\n');
    const error: RunFact = { type: 'error', code: 'DataLoadFailed', message: 'There is no such file.' };
    expect(narrate([command('load', 'Refused'), error])).toBe('  › load\n  ! There is no such file.\n');
  });

  it('[C13] prints labels of documents and instructions, not their text', () => {
    expect(
      narrate([
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
        '  + Attached: @pkg/a.csv',
        '  + Instruction: #check',
        '◆ Following @pkg/tasks/a.md',
        '  ◇ Finished @pkg/tasks/a.md',
        '  · One change to the completed workflow was allowed',
        '',
      ].join('\n'),
    );
  });

  it('[C13] prints the answers to runtime commands', () => {
    const usage = { promptTokens: 1200, completionTokens: 30, cachedTokens: 0 };
    const context = { contextTokens: 128000, requestTokens: 1500, turns: 2, usage };
    const output = narrate([
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
    expect(output).toMatch(/^ {2}\/menu {5}Show the agent’s menu\n {2}\/help {5}Show/);
    expect(output).toContain('  · Current model: rehearsal\n');
    expect(output).toContain('  · The last request used 1,500 of 128,000 tokens\n');
    expect(output).toContain('  · 2 turns · 1,200 tokens in, 30 out · price unknown\n');
    expect(output).toContain('✔ @project/a removed\n');
  });
});
