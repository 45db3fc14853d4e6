import type { NodeProof } from '@crewagent/protocol/proof';
import { describe, expect, it } from 'vitest';
import { type NodeBrief, toNodeBrief, toRunDirective } from './prompt-blocks.ts';

const BRIEF: NodeBrief = {
  nodeId: 'a',
  title: 'A',
  type: 'step',
  stepPath: 'steps/a.md',
  stepsCompleted: [],
  variables: {},
  inputs: [],
  outputs: [],
  allowedNext: [],
};

function proofOf(more: Partial<NodeProof['produces'][number]>): NodeProof {
  const file = { path: 'artifacts/prd.md', count: { min: 1, max: 1 }, mustChange: true, ...more };
  return { waits: { for: 'choice', options: ['A'] }, produces: [file], consumes: [], verify: [] };
}

describe('the brief of a node', () => {
  it('[L132] lists its checks, and nothing without checks', () => {
    const text = toNodeBrief({ ...BRIEF, proof: proofOf({ minWords: 120, headings: ['Goals', 'Scope'] }) });
    expect(text).toContain(
      '- checkedOnLeaving:\n  - the user answers in this step\n  - artifacts/prd.md: written in this step, 120 words or more, headings Goals | Scope',
    );
    expect(toNodeBrief(BRIEF)).not.toContain('checkedOnLeaving');
  });

  it('[L132] grows by at most 300 bytes, whatever is checked and in whatever script', () => {
    for (const heading of ['A long heading of many words', '一个很长的标题']) {
      const proof = proofOf({ headings: Array.from({ length: 50 }, () => heading) });
      const growth =
        Buffer.byteLength(toNodeBrief({ ...BRIEF, proof })) - Buffer.byteLength(toNodeBrief(BRIEF));
      expect(growth).toBeLessThanOrEqual(300);
      expect(toNodeBrief({ ...BRIEF, proof })).not.toContain('\uFFFD');
    }
  });

  it('[L132] says what is applied without asking', () => {
    const directive = (approval: 'ask' | 'autopilot' | 'read-only'): string =>
      toRunDirective({
        intent: 'start',
        workflow: 'w',
        graphPath: 'g.json',
        artifactsDir: 'artifacts',
        currentNodeId: 'a',
        effectiveAgentId: 'ann',
        approval,
      });
    expect(directive('autopilot')).toContain('- appliedWithoutAsking: file changes\n'.trim());
    expect(directive('ask')).toContain('- appliedWithoutAsking: file changes in @project/artifacts/');
    expect(directive('read-only')).toContain('- appliedWithoutAsking: nothing');
    expect(directive('autopilot')).not.toContain('autopilot');
  });
});
