/**
 * Every write of a tool goes through here: what is there now, is it still what the model saw, what would be there, may it
 * be. Nothing is written until the prepared change is committed, and then it is one operation with roll-back.
 */
import type { ToolFailure } from '@crewagent/protocol/tools';
import type { WorkflowGraph } from '@crewagent/protocol/workflow';
import type { FileIdentity } from '../mounts/file-identity.ts';
import { type MountPath } from '../mounts/mount-path.ts';
import type { MountedFs } from '../mounts/mounted-fs.ts';
import { type StateChange, type StateGate } from './state-gate.ts';
import { type ChangeRecorder, type PreparedChange, type ToolAnswer, type ToolFact } from './tool.ts';
export interface WriteSources {
  readonly files: MountedFs;
  readonly gate: StateGate;
  readonly graph: WorkflowGraph;
  readonly recorder: ChangeRecorder;
  readonly artifactsDir: string;
  readonly maxWriteBytes: number;
  /** In strict mode the state document changes through runtime.* only. */
  readonly strictState: boolean;
  onFact(fact: ToolFact): void;
}
export interface CurrentFile {
  readonly bytes: Buffer;
  readonly sha256: string;
  readonly mode: number;
  readonly identity: FileIdentity;
}
export interface WriteRequest {
  readonly path: MountPath;
  readonly callId: string;
  readonly ifMatchSha256: string | undefined;
  /** The new content, from what is there now (undefined when there is no file). */
  next(current: CurrentFile | undefined): Buffer | ToolFailure;
  /** Turns the facts of the write into the tool's own answer. */
  describe(facts: WriteFacts): Record<string, unknown>;
}
export interface WriteFacts {
  readonly sha256Before: string | undefined;
  readonly sha256After: string;
  readonly bytes: number;
  readonly diff: string;
}
/** What a writing tool answers: the prepared change, or why there is none. */
export declare function answerWrite(
  request: Omit<WriteRequest, 'path'> & {
    readonly path: string;
  },
  sources: WriteSources,
): Promise<ToolAnswer>;
/** A judged state change as something a person can be asked about, and that can be made. */
export declare function prepareStateChange(
  change: StateChange,
  sources: Pick<WriteSources, 'gate' | 'graph'>,
  describe: WriteRequest['describe'],
): PreparedChange;
