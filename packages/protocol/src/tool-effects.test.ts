import { describe, expect, it } from 'vitest';
import type { RunEvent, RunFact } from './events.ts';
import { foldStory } from './story/fold-story.ts';
import {
  changedFiles,
  effectOf,
  failureOf,
  isChange,
  isFileChange,
  isRead,
  targetOf,
} from './tool-effects.ts';

const ended = (name: string, answer: object): Parameters<typeof effectOf>[0] => ({
  name,
  outcome: 'ok' in answer && answer.ok === true ? 'ok' : 'failed',
  content: JSON.stringify(answer),
});

describe('the effect of a call', () => {
  it('[T20] is taken from its event', () => {
    const effect = { kind: 'external' } as const;
    expect(effectOf({ ...ended('fs.write', { ok: true, path: '@project/a.md' }), effect })).toBe(effect);
  });

  it.each([
    ['fs.read', 'a.md', { ok: true, path: '@project/a.md', content: '' }, { kind: 'read', path: 'a.md' }],
    ['fs.search', 'needle', { ok: true, matches: [] }, { kind: 'searched' }],
    ['fs.write', 'a.md', { ok: true, path: '@project/a.md' }, { kind: 'written', path: '@project/a.md' }],
    ['fs.write', 'a.md', { ok: false, error: { code: 'E_DISK' } }, { kind: 'written', path: 'a.md' }],
    [
      'fs.apply_patch',
      'a.md',
      { ok: true, path: '@project/a.md', diff: '-a\n+b' },
      { kind: 'patched', path: '@project/a.md', diff: '-a\n+b' },
    ],
    [
      'fs.apply_patch',
      'workflow.md',
      { ok: true, path: '@state/workflow.md' },
      { kind: 'state', path: '@state/workflow.md' },
    ],
    ['runtime.complete_node', 'intake', { ok: true, path: '@state/workflow.md' }, { kind: 'state' }],
    ['ui.ask_user', undefined, { ok: true, answers: {} }, { kind: 'asked' }],
    ['constructor', undefined, { ok: true }, { kind: 'none' }],
  ] as const)('[T20] of an earlier version is derived: %s %s %j', (name, path, answer, effect) => {
    expect(effectOf(ended(name, answer), path)).toEqual(effect);
  });

  it('[T20] of a result that is not JSON follows from the tool name', () => {
    const broken = { name: 'fs.write', outcome: 'failed', content: '{"ok":' } as const;
    expect(effectOf(broken)).toEqual({ kind: 'written' });
    expect(failureOf(broken)).toBeUndefined();
    expect(failureOf({ ...broken, content: '{"ok":false,"error":{"message":"Full."}}' })).toBe('Full.');
    expect(failureOf({ ...broken, message: 'Gone.' })).toBe('Gone.');
  });

  it('[T20] distinguishes reads from changes, and file changes from state changes', () => {
    const kinds = [
      'read',
      'listed',
      'searched',
      'written',
      'patched',
      'state',
      'asked',
      'external',
      'none',
    ] as const;
    const of = (test: (effect: { kind: (typeof kinds)[number] }) => boolean) =>
      kinds.filter((kind) => test({ kind }));
    expect(of(isRead)).toEqual(['read', 'listed', 'searched']);
    expect(of(isFileChange)).toEqual(['written', 'patched']);
    expect(of(isChange)).toEqual(['written', 'patched', 'state']);
    expect(changedFiles({ kind: 'written', path: '@project/a/b.md' })).toEqual(['a/b.md']);
    expect(changedFiles({ kind: 'patched', path: '@state/a', also: ['@project/b', '@project/c'] })).toEqual([
      'b',
      'c',
    ]);
    expect(changedFiles({ kind: 'state', path: '@state/workflow.md' })).toEqual([]);
    expect(changedFiles({ kind: 'read', path: '@project/a.md' })).toEqual([]);
  });
});

describe('the target of a call', () => {
  const RUN = '018f0000-0000-7000-8000-000000000001';
  const itemOf = (name: string, args: string, ...facts: RunFact[]) => {
    const call: RunFact = {
      type: 'message.completed',
      role: 'assistant',
      purpose: 'reply',
      content: '',
      toolCalls: [{ id: 'c', name, arguments: args }],
    };
    const events = [call, ...facts].map(
      (fact, index) =>
        ({ v: 1, seq: index + 1, ts: '2026-01-01T00:00:00.000Z', runId: RUN, ...fact }) as RunEvent,
    );
    const [item] = foldStory(RUN, events).timeline;
    if (item?.kind !== 'tool') throw new Error('no call');
    return item;
  };

  it('[T20] is known before, during and after a call', () => {
    const args = '{"query":"needle","path":"@project/src"}';
    const started = { type: 'tool.started', callId: 'c', name: 'fs.search', path: '@project/src' } as const;
    const effect = { kind: 'searched', query: 'needle', path: '@project/src' } as const;
    const over = {
      type: 'tool.ended',
      callId: 'c',
      name: 'fs.search',
      outcome: 'ok',
      durationMs: 1,
    } as const;
    expect(targetOf(itemOf('fs.search', args))).toBe('needle');
    expect(targetOf(itemOf('fs.search', args, started))).toBe('needle');
    expect(targetOf(itemOf('fs.search', '', started, { ...over, content: '', effect }))).toBe('needle');
    expect(targetOf(itemOf('fs.write', '{"path":"a.md"}'))).toBe('a.md');
    expect(targetOf(itemOf('fs.write', '{"path":'))).toBeUndefined();
    expect(targetOf(itemOf('runtime.complete_node', '{}', { ...started, path: 'intake' }))).toBe('intake');
  });
});
