import type { NodeProof } from '@crewagent/protocol/proof';
import { describe, expect, it } from 'vitest';
import { composePolicyText } from './base-rules.ts';
import { type NodeBrief, toNodeBrief } from './prompt-blocks.ts';

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
  it('[L130] lists its checks, and nothing without checks', () => {
    const text = toNodeBrief({
      ...BRIEF,
      proof: proofOf({ minWords: 120, headings: ['Goals of {{project}}', 'Scope'] }),
    });
    expect(text).toContain(
      '- checkedOnLeaving:\n  - the user answers in this step\n  - artifacts/prd.md: written in this step, 120 words or more, headings Goals of … | Scope',
    );
    expect(toNodeBrief(BRIEF)).not.toContain('checkedOnLeaving');
  });

  it('[L130] grows by at most 300 bytes, whatever is checked and in whatever script', () => {
    for (const heading of ['A long heading of many words', '一个很长的标题']) {
      const proof = proofOf({ headings: Array.from({ length: 50 }, () => heading) });
      const growth =
        Buffer.byteLength(toNodeBrief({ ...BRIEF, proof })) - Buffer.byteLength(toNodeBrief(BRIEF));
      expect(growth).toBeLessThanOrEqual(300);
      expect(toNodeBrief({ ...BRIEF, proof })).not.toContain('\uFFFD');
    }
  });

  it('[L130] the policy says what is applied without asking', () => {
    const fs = { enabled: true, maxReadBytes: 1, maxWriteBytes: 1 };
    const policy = (approval: 'ask' | 'autopilot' | 'read-only'): string =>
      composePolicyText({ artifactsDir: 'artifacts', approval, strictState: false, fs });
    expect(policy('autopilot')).toContain('- changes: file changes are applied without asking');
    expect(policy('ask')).toContain('- changes: outside the artifacts folder the user is asked first');
    expect(policy('read-only')).toContain('- changes: not allowed');
    expect(policy('autopilot')).not.toContain('autopilot');
  });
});
