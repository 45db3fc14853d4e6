/**
 * The law of the graph: which change of a state document is legal, and what the runtime completes by itself. Pure.
 */
import type { ErrorCode } from '@crewagent/protocol/errors';
import type { Decision, GraphEdge, WorkflowGraph } from '@crewagent/protocol/workflow';
import { type Verdict } from './condition.ts';
import type { WorkflowState } from './workflow-state.ts';
export interface AllowedEdge {
  readonly to: string;
  readonly label: string;
  readonly isDefault?: true;
  readonly conditionText?: string;
  /** What the edge's condition says about the variables as they are; advice, never a rule. */
  readonly condition?: Verdict;
}
export type TransitionVerdict =
  | {
      readonly ok: true;
      readonly from: string;
      readonly to: string;
      /** The edge that was taken; undefined when the run stays where it is. */
      readonly edge: GraphEdge | undefined;
      /** What the writer left out and the runtime adds. */
      readonly completedSteps: readonly string[];
      readonly completedDecisions: readonly Decision[];
      readonly notes: readonly string[];
    }
  | {
      readonly ok: false;
      readonly code: ErrorCode;
      readonly message: string;
    };
export declare function judgeTransition(
  before: WorkflowState,
  after: WorkflowState,
  graph: WorkflowGraph,
  now: string,
): TransitionVerdict;
/** The node a run is at: what the document says, or the entry when it says nothing. */
export declare function effectiveNode(state: WorkflowState, graph: WorkflowGraph): string;
export declare function isComplete(state: WorkflowState, graph: WorkflowGraph): boolean;
/** The edges that may be taken from where the run is, each with what its condition says now. */
export declare function allowedNext(state: WorkflowState, graph: WorkflowGraph): AllowedEdge[];
