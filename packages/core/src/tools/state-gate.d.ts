/**
 * The one writer of a run's state document. Whoever asks, a change is parsed, held against the schema and the graph,
 * completed where the writer was hurried, and then written whole, or refused with the document byte for byte as it was.
 */
import type { ToolError } from '@crewagent/protocol/tools';
import type { WorkflowGraph } from '@crewagent/protocol/workflow';
import { type FileIdentity } from '../mounts/file-identity.ts';
import type { MountPath } from '../mounts/mount-path.ts';
import type { MountedFs } from '../mounts/mounted-fs.ts';
import { type WorkflowState } from '../workflow/workflow-state.ts';
import type { ToolFact } from './tool.ts';
export declare const STATE_DOCUMENT: MountPath;
export interface StateDocument {
  readonly text: string;
  readonly sha256: string;
  readonly identity: FileIdentity;
  readonly state: WorkflowState;
}
/** A change that may be written. */
export interface StateChange {
  readonly from: string;
  readonly to: string;
  readonly label: string | undefined;
  /** What will stand in the file: the proposal, completed by the runtime. */
  readonly text: string;
  readonly state: WorkflowState;
  readonly notes: readonly string[];
  readonly base: StateDocument;
}
export type Judgement =
  | {
      readonly ok: true;
      readonly change: StateChange;
    }
  | {
      readonly ok: false;
      readonly error: ToolError;
    };
export interface StateGate {
  /** Throws DamagedState when the document cannot be read as one. */
  read(): Promise<StateDocument>;
  judge(base: StateDocument, proposal: string): Promise<Judgement>;
  /** Writes a judged change; throws ChangedMeanwhile when the document is no longer the one it was judged against. */
  commit(change: StateChange): Promise<StateDocument>;
  /** Adds a project-relative path to `artifacts`, once. Not a change by the model, so no hash and no consent is asked. */
  recordArtifact(path: string): Promise<StateDocument>;
  /** A person allowed one change after completion. */
  allowOneChange(): void;
}
export declare class DamagedState extends Error {
  readonly error: ToolError;
  constructor(error: ToolError);
}
export interface StateGateSources {
  readonly files: MountedFs;
  readonly graph: WorkflowGraph;
  readonly now: () => Date;
  /** The declared outputs of a node, as project-relative paths. */
  outputsOf(nodeId: string): readonly string[];
  readonly strictOutputs: boolean;
  onFact(fact: ToolFact): void;
}
export declare function createStateGate(sources: StateGateSources): StateGate;
/** What is in the later state and was not in the earlier one. */
export declare function stateChanges(
  before: WorkflowState,
  after: WorkflowState,
): {
  variables: {
    [k: string]: unknown;
  };
  unset: string[];
  stepsAdded: string[];
  decisionsAdded: {
    from: string;
    to: string;
    label: string;
    reason?: string | undefined;
    decidedAt?: string | undefined;
  }[];
};
