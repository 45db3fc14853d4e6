/**
 * The graph and the state document of a run, for tests: a decision, a loop with an exit, one end.
 */
import { type WorkflowGraph, workflowGraphSchema } from '@crewagent/protocol/workflow';

export const SAMPLE_GRAPH: WorkflowGraph = workflowGraphSchema.parse({
  schemaVersion: '1.1',
  entryNodeId: 'step-01',
  nodes: [
    { id: 'step-01', type: 'step', file: 'steps/step-01.md', outputs: ['artifacts/{key}.md'] },
    { id: 'decide-02', type: 'decision', file: 'steps/decide-02.md' },
    { id: 'step-03a', type: 'step', file: 'steps/step-03a.md' },
    { id: 'step-03b', type: 'step', file: 'steps/step-03b.md' },
    { id: 'end-99', type: 'end', file: 'steps/end-99.md' },
  ],
  edges: [
    { from: 'step-01', to: 'decide-02', label: 'next' },
    {
      from: 'decide-02',
      to: 'step-03a',
      label: 'green',
      conditionText: 'kind is green',
      conditionExpr: { '==': [{ var: 'variables.kind' }, 'green'] },
    },
    { from: 'decide-02', to: 'step-03b', label: 'brown', isDefault: true },
    { from: 'step-03a', to: 'decide-02', label: 'again' },
    { from: 'step-03a', to: 'end-99', label: 'next' },
    { from: 'step-03b', to: 'end-99', label: 'next' },
  ],
});

export const SAMPLE_STATE = `---
# progress of this run
schemaVersion: "1.1"
workflowType: sample
runId: 0190-run
currentNodeId: ""
stepsCompleted: []
variables: {}
decisionLog: []
# files made on the way
artifacts: []
team: red # ours
---

# Sample

Body stays.
`;
