import { describe, expect, it } from 'vitest';
import { createStory, type Story } from './story.ts';
import { treeFiles, treeTurns, treeUsage } from './tree-figures.ts';

const usage = (promptTokens: number) => ({ promptTokens, completionTokens: 0, cachedTokens: 0 });
const toRun = (runId: string, more: Partial<Story>): Story => ({ ...createStory(runId), ...more });
const call = { nodeId: 'plan', title: 'Plan', outcome: undefined } as const;
const grandchild = toRun('grandchild', { turns: 1, usage: usage(1) });
const child = toRun('child', { turns: 3, usage: usage(30), calls: [{ ...call, childId: 'grandchild' }] });
const runs = new Map([child, grandchild].map((run) => [run.runId, run]));

describe('figures of a run with its calls', () => {
  it('[C13] are those of the tree while a call is open', () => {
    const root = toRun('root', { turns: 2, usage: usage(200), calls: [{ ...call, childId: 'child' }] });
    expect(treeTurns(root, runs)).toBe(6);
    expect(treeUsage(root, runs).promptTokens).toBe(231);
    expect(treeFiles(root, runs)).toEqual([]);
  });

  it('[C13] do not change when the call has ended, whether its run is loaded or not', () => {
    const ended = { ...call, childId: 'child', outcome: 'completed', turns: 4 } as const;
    const root = toRun('root', { turns: 2, usage: usage(231), calls: [ended] });
    for (const known of [runs, new Map<string, Story>()]) {
      expect(treeTurns(root, known)).toBe(6);
      expect(treeUsage(root, known).promptTokens).toBe(231);
    }
    // A log of an earlier version.
    const { turns: _, ...older } = ended;
    expect(treeTurns({ ...root, calls: [older] }, runs)).toBe(6);
  });
});
