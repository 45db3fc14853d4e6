import { describe, expect, it } from 'vitest';
import { SAMPLE_GRAPH as graph } from '../testing/sample-run.ts';
import { allowedNext, isComplete, validateTransition } from './transition.ts';
import type { WorkflowState } from './workflow-state.ts';

const NOW = '2026-01-31T09:30:00.000Z';

function state(more: Partial<WorkflowState> = {}): WorkflowState {
  return {
    schemaVersion: '1.1',
    workflowType: 'sample',
    runId: 'r',
    currentNodeId: '',
    stepsCompleted: [],
    variables: {},
    decisionLog: [],
    artifacts: [],
    inputDocuments: [],
    callStack: [],
    ...more,
  };
}

const decided = (from: string, to: string, label: string) => ({ from, to, label });
const at = (
  currentNodeId: string,
  stepsCompleted: string[] = [],
  more: Partial<WorkflowState> = {},
): WorkflowState => state({ currentNodeId, stepsCompleted, ...more });

describe('a refusal', () => {
  it('[U70] names the affected field', () => {
    const before = at('step-01', ['step-00'], { decisionLog: [decided('a', 'b', 'c')] });
    const fieldOf = (after: Partial<WorkflowState>): string | undefined => {
      const verdict = validateTransition(before, { ...before, ...after }, graph, NOW);
      return verdict.ok ? undefined : verdict.field;
    };
    expect(fieldOf({ runId: 'other' })).toBe('runId');
    expect(fieldOf({ currentNodeId: 'nowhere' })).toBe('currentNodeId');
    expect(fieldOf({ currentNodeId: 'end-99' })).toBe('currentNodeId');
    expect(fieldOf({ stepsCompleted: [] })).toBe('stepsCompleted');
    expect(fieldOf({ stepsCompleted: ['step-00', 'end-99'] })).toBe('stepsCompleted');
    expect(fieldOf({ decisionLog: [] })).toBe('decisionLog');
    expect(fieldOf({ variables: { workflowStatus: 'complete' } })).toBe('variables.workflowStatus');
  });
});

describe('transitions', () => {
  const refused: [
    rule: string,
    what: string,
    before: WorkflowState,
    after: WorkflowState,
    code: string,
    message: string,
  ][] = [
    [
      'S3',
      'a jump',
      at('step-01'),
      at('end-99'),
      'E_INVALID_TRANSITION',
      'No edge leads from "step-01" to "end-99"; from "step-01" the run can go to "decide-02" (next)',
    ],
    [
      'S3',
      'two edges at once',
      at('step-01'),
      at('step-03a', ['step-01']),
      'E_INVALID_TRANSITION',
      'No edge leads',
    ],
    [
      'S3',
      'an edge in the wrong direction',
      at('decide-02'),
      at('step-01'),
      'E_INVALID_TRANSITION',
      'No edge leads',
    ],
    [
      'S3',
      'an unknown node',
      at('step-01'),
      at('nowhere'),
      'E_INVALID_TRANSITION',
      'There is no node "nowhere"',
    ],
    [
      'S3',
      'leaving an end',
      at('end-99', ['end-99']),
      at('step-01', ['end-99']),
      'E_INVALID_TRANSITION',
      'there is no outgoing edge',
    ],
    [
      'S4',
      'a removed completed step',
      at('decide-02', ['step-01']),
      at('decide-02', []),
      'E_INVALID_TRANSITION',
      '"step-01" was completed',
    ],
    [
      'S4',
      'a removed decision',
      at('step-03a', [], { decisionLog: [decided('a', 'b', 'c')] }),
      at('step-03a'),
      'E_INVALID_TRANSITION',
      'decisionLog',
    ],
    [
      'S4',
      'a changed decision',
      at('step-03a', [], { decisionLog: [decided('a', 'b', 'c')] }),
      at('step-03a', [], { decisionLog: [decided('a', 'b', 'x')] }),
      'E_INVALID_TRANSITION',
      'decisionLog',
    ],
    [
      'S3',
      'completing a step on arrival',
      at('step-01'),
      at('decide-02', ['step-01', 'decide-02']),
      'E_INVALID_TRANSITION',
      'only that node may be added',
    ],
    [
      'S3',
      'completing an unvisited step',
      at('step-01'),
      at('step-01', ['step-03a']),
      'E_INVALID_TRANSITION',
      'the run is at "step-01"',
    ],
    [
      'S3',
      'complete before the end',
      at('step-01'),
      at('step-01', [], { variables: { workflowStatus: 'complete' } }),
      'E_INVALID_TRANSITION',
      'only at an end node',
    ],
    [
      'S3',
      'complete on the way to the end',
      at('step-03b'),
      at('end-99', ['step-03b'], { variables: { workflowStatus: 'complete' } }),
      'E_INVALID_TRANSITION',
      'only at an end node',
    ],
    [
      'S4',
      'another runId',
      at('step-01'),
      at('step-01', [], { runId: 'x' }),
      'E_PRECONDITION_FAILED',
      '"runId" is managed by the runtime',
    ],
    [
      'S4',
      'another agent',
      at('step-01'),
      at('step-01', [], { activeAgentId: 'x' }),
      'E_PRECONDITION_FAILED',
      '"activeAgentId"',
    ],
    [
      'S4',
      'another workflow',
      at('step-01'),
      at('step-01', [], { workflowType: 'x' }),
      'E_PRECONDITION_FAILED',
      '"workflowType"',
    ],
    [
      'S4',
      'another workflow file',
      at('step-01'),
      at('step-01', [], { workflowRef: 'x' }),
      'E_PRECONDITION_FAILED',
      '"workflowRef"',
    ],
    [
      'S4',
      'another schema version',
      at('step-01'),
      at('step-01', [], { schemaVersion: '1.2' }),
      'E_PRECONDITION_FAILED',
      '"schemaVersion"',
    ],
    [
      'S3',
      'leaving a node that does not exist',
      at('nowhere'),
      at('step-01', [], { variables: { workflowStatus: 'complete' } }),
      'E_INVALID_TRANSITION',
      'there is no outgoing edge from "nowhere"',
    ],
    [
      'S4',
      'a call stack',
      at('step-01'),
      at('step-01', [], { callStack: [{ workflow: 'w', nodeId: 'n' }] }),
      'E_PRECONDITION_FAILED',
      '"callStack"',
    ],
  ];
  for (const [rule, what, before, after, code, message] of refused) {
    it(`[${rule}] rejects ${what}`, () => {
      const verdict = validateTransition(before, after, graph, NOW);
      expect(verdict).toMatchObject({ ok: false, code });
      expect(verdict.ok ? '' : verdict.message).toContain(message);
    });
  }

  it('[S3] treats an empty currentNodeId as the entry, and always allows staying', () => {
    expect(validateTransition(at(''), at('step-01'), graph, NOW)).toMatchObject({
      ok: true,
      edge: undefined,
    });
    expect(validateTransition(at(' step-01 '), at(''), graph, NOW)).toMatchObject({
      ok: true,
      from: 'step-01',
      to: 'step-01',
    });
    expect(
      validateTransition(at('step-01'), at('step-01', ['step-01'], { variables: { a: 1 } }), graph, NOW),
    ).toMatchObject({ ok: true, notes: [] });
  });

  it('[S4] adds the node that was left, with a note', () => {
    const verdict = validateTransition(at('step-01'), at('decide-02'), graph, NOW);
    expect(verdict).toMatchObject({ ok: true, completedSteps: ['step-01'], completedDecisions: [] });
    expect(verdict.ok && verdict.notes).toEqual([
      '"step-01" was added to stepsCompleted, because the run left it.',
    ]);
    expect(validateTransition(at('step-01'), at('decide-02', ['step-01']), graph, NOW)).toMatchObject({
      completedSteps: [],
      notes: [],
    });
  });

  it('[S4] adds the decision that was taken, unless the model recorded it', () => {
    const silent = validateTransition(
      at('decide-02', ['step-01']),
      at('step-03b', ['step-01', 'decide-02']),
      graph,
      NOW,
    );
    expect(silent).toMatchObject({
      completedDecisions: [{ from: 'decide-02', to: 'step-03b', label: 'brown', decidedAt: NOW }],
    });
    expect(silent.ok && silent.notes).toEqual([
      'The decision "decide-02" → "step-03b" (brown) was added to decisionLog.',
    ]);
    const recorded = at('step-03a', ['decide-02'], {
      decisionLog: [decided('decide-02', 'step-03a', 'green')],
    });
    expect(validateTransition(at('decide-02'), recorded, graph, NOW)).toMatchObject({
      completedDecisions: [],
      edge: { label: 'green' },
    });
  });

  it('[S4] accepts a decision recorded before leaving, for this visit', () => {
    const log = [decided('decide-02', 'step-03a', 'green')];
    const before = at('decide-02', ['step-01'], { decisionLog: log });
    const after = at('step-03a', ['step-01', 'decide-02'], { decisionLog: log });
    expect(validateTransition(before, after, graph, NOW)).toMatchObject({
      completedDecisions: [],
      notes: [],
    });
  });

  it.each([
    ['of another node', decided('step-01', 'step-03a', 'green')],
    ['for another edge', decided('decide-02', 'step-03b', 'brown')],
  ])('[S4] ignores a decision %s', (_, entry) => {
    const after = at('step-03a', ['decide-02'], { decisionLog: [entry] });
    expect(validateTransition(at('decide-02'), after, graph, NOW)).toMatchObject({
      completedDecisions: [{ from: 'decide-02', to: 'step-03a', label: 'green' }],
    });
  });

  it('[S4] takes the edge named by the last decision among several edges to one node, else the default', () => {
    const parallel = {
      ...graph,
      edges: [
        ...graph.edges,
        { from: 'decide-02', to: 'step-03a', label: 'lime', isDefault: true },
        { from: 'decide-02', to: 'step-03a', label: 'olive', isDefault: false },
      ],
    };
    const labelAfter = (...labels: string[]) => {
      const decisionLog = labels.map((label) => decided('decide-02', 'step-03a', label));
      const verdict = validateTransition(
        at('decide-02'),
        at('step-03a', ['decide-02'], { decisionLog }),
        parallel,
        NOW,
      );
      return verdict.ok && [verdict.edge?.label, verdict.completedDecisions.map(({ label }) => label)];
    };
    expect(labelAfter()).toEqual(['lime', ['lime']]);
    expect(labelAfter('olive')).toEqual(['olive', []]);
    expect(labelAfter('olive', 'green')).toEqual(['green', []]);
    expect(labelAfter('green', 'olive')).toEqual(['olive', []]);
    expect(labelAfter('no such label')).toEqual(['lime', []]);
  });

  it('[S3] accepts complete at an end, and keeps an earlier complete', () => {
    const variables = { workflowStatus: 'complete' };
    expect(validateTransition(at('end-99'), at('end-99', [], { variables }), graph, NOW)).toMatchObject({
      ok: true,
    });
    const more = { variables: { ...variables, a: 1 } };
    expect(
      validateTransition(at('step-01', [], { variables }), at('step-01', [], more), graph, NOW),
    ).toMatchObject({
      ok: true,
    });
  });

  it('[S4] ignores a decision recorded on an earlier visit', () => {
    const log = [decided('decide-02', 'step-03a', 'green')];
    const before = at('decide-02', ['step-01', 'decide-02', 'step-03a'], { decisionLog: log });
    const after = at('step-03a', ['step-01', 'decide-02', 'step-03a'], { decisionLog: log });
    expect(validateTransition(before, after, graph, NOW)).toMatchObject({
      completedDecisions: [{ label: 'green' }],
    });
  });

  it("returns the result of each edge's condition", () => {
    expect(allowedNext(at('decide-02', [], { variables: { kind: 'green' } }), graph)).toEqual([
      { to: 'step-03a', label: 'green', conditionText: 'kind is green', condition: true },
      { to: 'step-03b', label: 'brown', isDefault: true },
    ]);
    expect(allowedNext(at('decide-02'), graph)[0]?.condition).toBe('unknown');
    expect(allowedNext(at('end-99'), graph)).toEqual([]);
  });

  it('[S3] is complete by workflowStatus or by a completed end node', () => {
    expect(isComplete(at('end-99'), graph)).toBe(false);
    expect(isComplete(at('end-99', ['end-99']), graph)).toBe(true);
    expect(isComplete(at('step-01', ['step-01']), graph)).toBe(false);
    expect(isComplete(at('step-01', [], { variables: { workflowStatus: 'complete' } }), graph)).toBe(true);
    const again = { from: 'end-99', to: 'step-01', label: 'again', isDefault: false };
    const onward = { ...graph, edges: [...graph.edges, again] };
    expect(isComplete(at('end-99', ['end-99']), onward)).toBe(true);
    const open = {
      ...graph,
      nodes: graph.nodes.filter(({ id }) => id !== 'end-99'),
      edges: graph.edges.filter(({ to }) => to !== 'end-99'),
    };
    expect(isComplete(at('step-03b', ['step-03b']), open)).toBe(true);
  });
});
