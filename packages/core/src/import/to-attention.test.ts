import { describe, expect, it } from 'vitest';
import { toAttention } from './to-attention.ts';

const NONE = { exact: 0, inferred: 0, dropped: 0 };
const EMPTY: Parameters<typeof toAttention>[0] = {
  schemaVersion: '1',
  source: { name: 'birds', eras: [], modules: [], licence: 'MIT' },
  package: { name: 'birds', workflows: 1, agents: 1, files: 1 },
  totals: { constructs: NONE, edges: { exact: 4, inferred: 1, dropped: 0 } },
  workflows: [],
  constructs: [],
  unresolved: [],
  capabilities: [],
  repairs: [],
  findings: [],
  inputs: [],
  edits: { kept: [], merged: [], conflicts: [] },
};

describe('lines to check first', () => {
  it('[Z50] name one edge in the singular', () => {
    const edge = { from: 'a', to: 'b', label: 'next', certainty: 'inferred' as const, evidence: [] };
    const count = { id: 'count', kind: 'micro-steps' as const, source: 'w.md', nodes: 2, edges: [edge] };
    expect(toAttention({ ...EMPTY, workflows: [count] })).toEqual([
      '1 of 5 edges is inferred; check it in count.',
    ]);
    expect(toAttention({ ...EMPTY, workflows: [{ ...count, edges: [edge, edge] }] })).toEqual([
      '2 of 5 edges are inferred; check them in count.',
    ]);
  });

  it('[Z50] mark a description that was cut', () => {
    const text = 'Count every bird in the garden and write the numbers to a file';
    const item = { construct: 'menu item', certainty: 'dropped' as const, file: 'a.yaml', message: '', text };
    expect(toAttention({ ...EMPTY, constructs: [item] })[0]).toMatch(
      /: Count every bird in the garden and writ…\.$/,
    );
  });
});
