import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NodeFacts, OutgoingEdge } from '../../llm/request-facts.ts';
import { chooseEdge } from './choose-edge.ts';

interface Edge {
  readonly from: number;
  readonly to: number;
  readonly isDefault: boolean;
}

/** A random graph whose end is reachable from every node: a chain with additional edges. */
const graphs = fc.integer({ min: 1, max: 8 }).chain((end) => {
  const anyNode = fc.nat(end);
  const edge = fc.record({ from: fc.nat(end - 1), to: anyNode, isDefault: fc.boolean() });
  const chain = Array.from({ length: end }, (_, from) => ({ from, to: from + 1, isDefault: false }));
  return fc
    .array(edge, { maxLength: 16 })
    .chain((edges) => fc.shuffledSubarray([...edges, ...chain], { minLength: edges.length + chain.length }))
    .map((edges) => ({ end, edges }));
});

describe('choosing an edge', () => {
  it('[K14] every walk reaches the end, whatever loops and defaults there are', () => {
    fc.assert(
      fc.property(graphs, ({ end, edges }) => {
        const stepsCompleted: string[] = [];
        const decisions: unknown[] = [];
        let at = 0;
        let moves = 0;
        while (at !== end) {
          const brief = toBrief(at, edges, stepsCompleted);
          const choice = chooseEdge({
            brief,
            outgoing: brief.outgoing,
            decisions,
            answers: [],
            choose: undefined,
          });
          if (!choice) throw new Error(`stuck at ${at}`);
          if (!stepsCompleted.includes(brief.nodeId)) stepsCompleted.push(brief.nodeId);
          // As in a rehearsal, only a choice among several edges is logged.
          if (brief.outgoing.length > 1)
            decisions.push({ from: brief.nodeId, to: choice.edge.to, label: choice.edge.label });
          at = Number(choice.edge.to);
          moves++;
          expect(moves).toBeLessThan(5_000);
        }
      }),
    );
  });

  it('[K14] an edge back to the same node is taken only if there is no other', () => {
    const edges = [
      { from: 0, to: 0, isDefault: true },
      { from: 0, to: 1, isDefault: false },
    ];
    const pick = (among: readonly Edge[]): string | undefined => {
      const brief = toBrief(0, among, []);
      return chooseEdge({ brief, outgoing: brief.outgoing, decisions: [], answers: [], choose: undefined })
        ?.edge.to;
    };
    expect([pick(edges), pick(edges.slice(0, 1)), pick([])]).toEqual(['1', '0', undefined]);
  });
});

function toBrief(at: number, edges: readonly Edge[], stepsCompleted: readonly string[]): NodeFacts {
  const outgoing = edges.flatMap(({ from, to, isDefault }, index): OutgoingEdge[] =>
    from === at ? [{ to: String(to), label: `edge-${index}`, isDefault, isMet: false }] : [],
  );
  const nodeId = String(at);
  return {
    nodeId,
    title: nodeId,
    type: 'step',
    stepFile: '@pkg/steps/x.md',
    stepText: undefined,
    stepsCompleted: [...stepsCompleted],
    variables: {},
    inputs: [],
    outputs: [],
    outgoing,
  };
}
