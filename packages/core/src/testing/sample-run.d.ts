/**
 * The graph and the state document of a run, for tests: a decision, a loop with a way out, one end.
 */
import { type WorkflowGraph } from '@crewagent/protocol/workflow';
export declare const SAMPLE_GRAPH: WorkflowGraph;
export declare const SAMPLE_STATE =
  '---\n# progress of this run\nschemaVersion: "1.1"\nworkflowType: sample\nrunId: 0190-run\ncurrentNodeId: ""\nstepsCompleted: []\nvariables: {}\ndecisionLog: []\n# files made on the way\nartifacts: []\nteam: red # ours\n---\n\n# Sample\n\nBody stays.\n';
