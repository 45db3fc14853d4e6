import { expect, it } from 'vitest';
import { toNodeBrief } from './prompt-blocks.ts';

const ids = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `step-${from + index}`);

const stepsOf = (nodeId: string, stepsCompleted: readonly string[]): string | undefined =>
  toNodeBrief({
    nodeId,
    title: 'Part',
    type: 'step',
    stepPath: 'steps/part.md',
    stepsCompleted,
    variables: {},
    inputs: [],
    outputs: [],
    allowedNext: [],
  })
    .split('\n')
    .find((line) => line.startsWith('- stepsCompleted: '))
    ?.slice('- stepsCompleted: '.length);

it('[P12] the brief of a node names the last steps only, and the node itself if it is completed', () => {
  expect(stepsOf('step-1', [])).toBe('none');
  expect(stepsOf('step-51', ids(1, 50))).toBe(ids(1, 50).join(', '));
  const earlier = '(950 earlier ones are in @state/workflow.md)';
  expect(stepsOf('step-1001', ids(1, 1_000))).toBe([earlier, ...ids(951, 1_000)].join(', '));
  expect(stepsOf('step-7', ids(1, 1_000))).toBe([earlier, 'step-7', ...ids(951, 1_000)].join(', '));
});
