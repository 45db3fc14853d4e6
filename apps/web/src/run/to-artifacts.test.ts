import type { RunFact } from '@crewagent/protocol/events';
import type { JournalEntry } from '@crewagent/protocol/journal';
import { foldStory } from '@crewagent/protocol/story/fold-story';
import { describe, expect, it } from 'vitest';
import { eventful, RUN_ID, toLog } from '../testing/made-events.ts';
import { changeMarkOf, countFiles, toArtifacts, toNodeChanges } from './to-artifacts.ts';

const change = (changeId: number, path: string, more: Partial<JournalEntry> = {}): JournalEntry => ({
  changeId,
  at: '2026-11-15T09:30:00.000Z',
  callId: `c${changeId}`,
  nodeId: 'one',
  path,
  kind: 'changed',
  bytesBefore: 10,
  bytesAfter: 20 + changeId,
  undone: false,
  undoable: true,
  ...more,
});

describe('artifacts', () => {
  it('list each file once, with its total change and the nodes that touched it', () => {
    const found = toArtifacts([
      change(1, '@project/new.md', { kind: 'created', bytesBefore: 0 }),
      change(2, '@project/old.md'),
      change(3, '@project/new.md', { nodeId: 'two' }),
      change(4, '@project/gone.md', { kind: 'deleted', bytesAfter: 0 }),
      change(5, '@project/passing.md', { kind: 'created' }),
      change(6, '@project/passing.md', { kind: 'deleted' }),
    ]);
    expect(found.map(({ path, kind, nodeIds, isThere }) => [path, kind, nodeIds, isThere])).toEqual([
      ['@project/new.md', 'created', ['one', 'two'], true],
      ['@project/old.md', 'changed', ['one'], true],
      ['@project/gone.md', 'deleted', ['one'], false],
      ['@project/passing.md', 'deleted', ['one'], false],
    ]);
    expect(found[0]?.bytes).toBe(23);
  });

  it('reflect undone changes: a new file does not exist, an old one does', () => {
    const found = toArtifacts([
      change(1, '@project/new.md', { kind: 'created', undone: true }),
      change(2, '@project/old.md', { undone: true }),
      change(3, '@project/half.md', { kind: 'created' }),
      change(4, '@project/half.md', { undone: true }),
    ]);
    expect(found.map(({ kind, isThere }) => [kind, isThere])).toEqual([
      ['undone', false],
      ['undone', true],
      ['created', true],
    ]);
  });

  it('count by node what can be undone and redone', () => {
    const changes = [
      change(1, '@project/a.md'),
      change(2, '@project/a.md'),
      change(3, '@project/b.md', { undone: true }),
      change(4, '@project/c.md', { nodeId: 'two', undone: true }),
      change(5, '@project/d.md', { nodeId: undefined }),
    ];
    expect(toNodeChanges(changes)).toEqual([
      { nodeId: 'one', undoable: 1, redoable: 1 },
      { nodeId: 'two', undoable: 0, redoable: 1 },
    ]);
    expect(countFiles(changes)).toBe(4);
  });

  it('are refetched when a file was written or undone, and only then', () => {
    const undone: RunFact = {
      type: 'changes.undone',
      direction: 'undo',
      selection: { all: true },
      files: [],
    };
    // The last call of `eventful`: a file that is not an artifact.
    const patched: RunFact = {
      type: 'tool.ended',
      callId: 'c10',
      name: 'fs.apply_patch',
      outcome: 'ok',
      durationMs: 1,
      content: '{"ok":true}',
      effect: { kind: 'patched', path: '@project/docs/plan.md' },
    };
    const facts = [...eventful, patched, undone];
    const marks = facts.map((_, index) =>
      changeMarkOf(foldStory(RUN_ID, toLog(RUN_ID, facts.slice(0, index + 1)))),
    );
    const call = { nodeId: 'n', childId: 'child', title: '', outcome: undefined } as const;
    const caller = { ...foldStory('root', []), calls: [call] };
    const marksOfCaller = facts.map((_, index) =>
      changeMarkOf(
        caller,
        new Map([['child', foldStory(RUN_ID, toLog(RUN_ID, facts.slice(0, index + 1)))]]),
      ).trim(),
    );
    expect(marksOfCaller).toEqual(marks);
    const kinds = facts.filter((_, index) => index > 0 && marks[index] !== marks[index - 1]);
    expect(new Set(kinds.map(({ type }) => type))).toEqual(
      new Set(['tool.ended', 'artifact.written', 'changes.undone']),
    );
  });
});
