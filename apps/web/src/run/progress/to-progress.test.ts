import { foldStory } from '@crewagent/protocol/story/fold-story';
import { workflowGraphSchema } from '@crewagent/protocol/workflow';
import { describe, expect, it } from 'vitest';
import graphFile from '../../../../../examples/hello-branch/workflow.graph.json';
import { helloBranchLog } from '../../testing/logs.ts';
import { eventful, RUN_ID, toLog } from '../../testing/made-events.ts';
import { layOutGraph, NODE_WIDTH } from './graph/lay-out-graph.ts';
import { isPlainSequence, shareOf, toProgress } from './to-progress.ts';

const graph = workflowGraphSchema.parse(graphFile);

describe('progress', () => {
  it('[U19] distinguishes completed, current, upcoming and rejected nodes', () => {
    const { nodes, done } = toProgress(foldStory(RUN_ID, toLog(RUN_ID, eventful)), graph);
    expect(nodes.map(({ id, progress, isRefused }) => [id, progress, isRefused])).toEqual([
      ['step-01-intake', 'done', false],
      ['decide-02-project-type', 'done', false],
      ['step-03a-greenfield', 'ahead', false],
      ['step-03b-brownfield', 'current', false],
      ['end-99', 'ahead', true],
    ]);
    expect(done).toBe(2);
  });

  it('[U19] contains the edges that were taken', () => {
    const { edges } = toProgress(foldStory(RUN_ID, toLog(RUN_ID, eventful)), graph);
    expect(edges.filter(({ isAccepted }) => isAccepted).map(({ from, to }) => `${from} ${to}`)).toEqual([
      'step-01-intake decide-02-project-type',
      'decide-02-project-type step-03b-brownfield',
    ]);
  });

  it('[U19] of a complete run has no current node', () => {
    const { nodes } = toProgress(foldStory('x', helloBranchLog), graph);
    expect(nodes.filter(({ progress }) => progress === 'current')).toEqual([]);
  });

  it('[U19] of a complete run is complete: skipped nodes are not needed', () => {
    const progress = toProgress(foldStory('x', helloBranchLog), graph);
    const statuses = new Set(progress.nodes.map((node) => node.progress));
    expect(statuses).toEqual(new Set(['done', 'notNeeded']));
    expect([progress.done, progress.notNeeded, shareOf(progress)]).toEqual([4, 1, 1]);
  });

  it('[U19] leaves room for the labels of edges', () => {
    const progress = toProgress(foldStory('x', helloBranchLog), graph);
    const { positions } = layOutGraph(progress, 'right');
    const gap = (from: string, to: string): number =>
      (positions.get(to)?.x ?? 0) - (positions.get(from)?.x ?? 0) - NODE_WIDTH;
    expect(gap('decide-02-project-type', 'step-03b-brownfield')).toBeGreaterThan(
      gap('step-01-intake', 'decide-02-project-type') + 50,
    );
  });

  it.each([
    ['right', 'x'],
    ['down', 'y'],
  ] as const)('[U19] is drawn in one direction: %s', (direction, axis) => {
    const progress = toProgress(foldStory(RUN_ID, toLog(RUN_ID, eventful)), graph);
    const { positions } = layOutGraph(progress, direction);
    for (const { from, to } of progress.edges) {
      expect(positions.get(from)?.[axis] ?? 0).toBeLessThan(positions.get(to)?.[axis] ?? 0);
    }
  });
});

it('[U19] is a plain sequence if each step leads to the next', () => {
  const edge = (from: string, to: string) => ({
    id: from + to,
    from,
    to,
    label: '',
    isAccepted: false,
    isRefused: false,
  });
  const progress = { nodes: [], done: 0, notNeeded: 0 };
  expect(isPlainSequence({ ...progress, edges: [edge('a', 'b'), edge('b', 'c')] })).toBe(true);
  expect(isPlainSequence({ ...progress, edges: [edge('a', 'b'), edge('a', 'c')] })).toBe(false);
  expect(isPlainSequence({ ...progress, edges: [edge('a', 'c'), edge('b', 'c')] })).toBe(false);
});
