/**
 * The graph and the state document of a run, for tests: a decision, a loop with an exit, one end.
 */
import { type WorkflowGraph, workflowGraphSchema } from '@crewagent/protocol/workflow';
import graph from './sample-graph.json' with { type: 'json' };

export const SAMPLE_GRAPH: WorkflowGraph = workflowGraphSchema.parse(graph);

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
