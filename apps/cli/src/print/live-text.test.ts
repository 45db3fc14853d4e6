import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import { addToWorkStory, createWorkStory } from '@crewagent/protocol/story/work-story';
import { describe, expect, it } from 'vitest';
import { LiveText } from './live-text.ts';

const CREATED: RunFact = {
  type: 'run.created',
  package: { name: 'p', version: '1.0.0', hash: 'a'.repeat(64) },
  workflow: { ref: 'w', title: 'W' },
  nodes: [
    { id: 'a', title: 'First', type: 'step' },
    { id: 'b', title: '', type: 'end' },
  ],
  entryNodeId: 'a',
  activeAgentId: 'sm',
  model: { kind: 'rehearsal' },
  variables: {},
};

function narrate(facts: readonly RunFact[], { isTyped = false } = {}): string {
  const [created, ...events] = [CREATED, ...facts].map(
    (fact, index) =>
      ({ v: 1, seq: index + 1, ts: '2026-01-01T00:00:00.000Z', runId: 'r', ...fact }) as RunEvent,
  );
  const view = createWorkStory('r');
  if (created) addToWorkStory(view, created);
  const style = (_: string, text: string): string => text;
  const live = new LiveText({ style, width: undefined, language: 'en', view, isTyped });
  const texts = events.map((event) => {
    addToWorkStory(view, event);
    return live.add(event);
  });
  return texts.join('') + live.pause();
}

const turn = (number: number, nodeId: string): RunFact => ({
  type: 'turn.started',
  turn: number,
  nodeId,
  requestBytes: 1,
  estimatedTokens: 1,
});
const reply = (content: string): RunFact => ({
  type: 'message.completed',
  role: 'assistant',
  purpose: 'reply',
  content,
});
const asks = (...calls: readonly (readonly [id: string, name: string])[]): RunFact => ({
  type: 'message.completed',
  role: 'assistant',
  purpose: 'reply',
  content: '',
  toolCalls: calls.map(([id, name]) => ({ id, name, arguments: '{}' })),
});
const ended = (name: string, content: string, more: object = {}): RunFact => ({
  type: 'tool.ended',
  callId: 'c1',
  name,
  outcome: 'ok',
  durationMs: 3,
  content,
  ...more,
});

describe('narrating a run', () => {
  it('[C13] prints nodes when entered and completed, with the files they wrote', () => {
    expect(
      narrate([
        turn(1, 'a'),
        { type: 'message.delta', turn: 1, text: 'Let me ' },
        { type: 'message.delta', turn: 1, text: 'look.' },
        reply('Let me look.'),
        asks(['c1', 'fs.write'], ['c2', 'fs.apply_patch']),
        { type: 'tool.started', callId: 'c1', name: 'fs.write', path: 'docs/x.md' },
        ended('fs.write', '{"ok":true,"path":"@project/docs/x.md"}'),
        { type: 'tool.started', callId: 'c2', name: 'fs.apply_patch', path: '@state/workflow.md' },
        {
          type: 'state.changed',
          from: 'a',
          to: 'b',
          label: 'next',
          variables: {},
          stepsAdded: ['a'],
          decisionsAdded: [{ from: 'a', to: 'b', label: 'left', reason: 'It is shorter.' }],
          notes: ['one thing'],
          sha256: '',
        },
        ended('fs.apply_patch', '{"ok":true,"path":"@state/workflow.md"}', { callId: 'c2' }),
        turn(2, 'b'),
        turn(3, 'b'),
      ]),
    ).toBe(
      [
        '▸ 1/2 First',
        '  Let me look.',
        '  ✎ Wrote docs/x.md',
        '✓ First  wrote docs/x.md',
        '  → left: It is shorter.',
        '▸ 2/2 b',
        '',
      ].join('\n'),
    );
  });

  it('[C13] prints a node that is completed again with its own files, and a command with its line', () => {
    const changed = (from: string, to: string, extra: object = {}): RunFact => ({
      type: 'state.changed',
      ...{ from, to, label: undefined, variables: {}, stepsAdded: [], decisionsAdded: [], notes: [] },
      ...{ sha256: '', ...extra },
    });
    expect(
      narrate([
        asks(['c1', 'fs.write'], ['c2', 'shell.run']),
        ended('fs.write', '{"ok":true,"path":"@project/again.md"}'),
        changed('a', 'b'),
        turn(2, 'b'),
        ended('shell.run', '{"ok":true}', {
          callId: 'c2',
          effect: { kind: 'external', command: 'npm test' },
        }),
        changed('b', 'a', { isRewind: true }),
        turn(3, 'a'),
      ]),
    ).toBe(
      [
        '  ✎ Wrote again.md',
        '✓ First  wrote again.md',
        '▸ 2/2 b',
        '  ✎ Ran npm test',
        '▸ 1/2 First',
        '',
      ].join('\n'),
    );
  });

  it('[C13] prints reads that follow each other as one line, with what they read', () => {
    const read = (callId: string, path: string): RunFact =>
      ended('fs.read', '{"ok":true}', { callId, effect: { kind: 'read', path: `@project/${path}` } });
    expect(
      narrate([
        turn(1, 'a'),
        asks(['c1', 'fs.read'], ['c2', 'fs.read'], ['c3', 'fs.list']),
        read('c1', 'a.md'),
        read('c2', 'b.md'),
        ended('fs.list', '{}', { callId: 'c3', effect: { kind: 'listed', path: '@project' } }),
        turn(2, 'a'),
        reply('Done.'),
        asks(['c4', 'fs.read']),
        read('c4', 'c.md'),
      ]),
    ).toBe(
      [
        '▸ 1/2 First',
        '  · Read 2 files · Listed 1 folder: a.md, b.md, the project folder',
        '  Done.',
        '  · Read c.md',
        '',
      ].join('\n'),
    );
  });

  it('[C13] folds reasoning to one line', () => {
    const at = (seconds: number, fact: RunFact): RunFact => {
      const stamp = { ts: `2026-01-01T00:00:0${seconds}.000Z` };
      return { ...fact, ...stamp };
    };
    expect(
      narrate([
        at(1, { type: 'reasoning.delta', turn: 1, text: 'Well, ' }),
        at(2, { type: 'reasoning.delta', turn: 1, text: 'so.' }),
        at(5, { type: 'message.delta', turn: 1, text: 'Yes.' }),
        at(5, reply('Yes.')),
      ]),
    ).toBe('  · Thought for 4 s\n  Yes.\n');
    const retry = { attempt: 2, delayMs: 3_000, code: 'LLM_UNAVAILABLE', message: 'It was cut off.' };
    expect(
      narrate([
        at(1, { type: 'reasoning.delta', turn: 1, text: '' }),
        at(1, { type: 'llm.retry', turn: 1, ...retry }),
        at(5, { type: 'message.delta', turn: 1, text: 'Yes.' }),
        at(5, reply('Yes.')),
      ]),
    ).not.toContain('Thought');
  });

  it('[C13] prints what changed in a file', () => {
    const effect = { kind: 'patched', path: '@project/prd.md', lines: { added: 12, removed: 3 } };
    expect(narrate([asks(['c1', 'fs.apply_patch']), ended('fs.apply_patch', '{}', { effect })])).toBe(
      '  ✎ Changed prd.md +12 −3\n',
    );
  });

  it('[C13] prints a reply without deltas', () => {
    expect(narrate([turn(1, 'a'), reply('Whole.')])).toBe('▸ 1/2 First\n  Whole.\n');
  });

  it('[C13] prints failures with their code, without control characters', () => {
    const failure = JSON.stringify({
      ok: false,
      error: { code: 'EACCES', message: 'Not \u001b[31mallowed.' },
    });
    expect(
      narrate([
        asks(['c1', 'fs.read']),
        { type: 'tool.started', callId: 'c1', name: 'fs.read', path: 'x\u001b]0;y\u0007' },
        ended('fs.read', failure, { outcome: 'failed', code: 'EACCES' }),
      ]),
    ).toBe('  ✖ Could not read x\uFFFD]0;y\uFFFD (EACCES)\n');
  });

  it('[C13] a file that is not there is an answer, not a failure', () => {
    const failure = JSON.stringify({
      ok: false,
      error: { code: 'ENOENT', message: 'There is no such file.' },
    });
    expect(
      narrate([
        asks(['c1', 'fs.read']),
        { type: 'tool.started', callId: 'c1', name: 'fs.read', path: '@project/notes.md' },
        ended('fs.read', failure, { outcome: 'failed', code: 'ENOENT' }),
      ]),
    ).toBe('  · Did not find notes.md\n');
  });

  it('[C13] marks a reply that was cut off, and prints the retry', () => {
    expect(
      narrate([
        { type: 'message.delta', turn: 1, text: 'Half ' },
        { type: 'message.delta', turn: 1, text: 'a' },
        {
          type: 'llm.retry',
          turn: 1,
          attempt: 2,
          delayMs: 1500,
          code: 'LLM_TIMEOUT',
          message: 'It fell silent.',
        },
        { type: 'message.delta', turn: 1, text: 'Whole' },
        reply('Whole'),
      ]),
    ).toBe('  Half a …\n  ↻ It fell silent. Retrying in 1.5 s.\n  Whole\n');
  });

  it('[C13] prints user input unless it was typed here', () => {
    const facts: RunFact[] = [
      { type: 'question.answered', callId: 'c1', answers: { name: 'Nova', sure: true } },
      { type: 'message.completed', role: 'user', purpose: 'input', content: 'Go on' },
      { type: 'message.completed', role: 'user', purpose: 'anchor', content: 'RUN_DIRECTIVE' },
    ];
    expect(narrate(facts)).toBe('  › name: Nova\n  › sure: true\n  › Go on\n');
    expect(narrate(facts, { isTyped: true })).toBe('');
  });

  it('[C13] prints an error only if it did not stop the run', () => {
    const error: RunFact = { type: 'error', code: 'LLM_TIMEOUT', message: 'Too late.' };
    const reason = { code: 'LLM_TIMEOUT', message: 'Too late.' } as const;
    expect(narrate([error, { type: 'phase.changed', phase: 'WaitingUser', reason }])).toBe('');
    expect(narrate([error, { type: 'phase.changed', phase: 'Completed' }])).toBe('  ! Too late.\n');
  });
});
