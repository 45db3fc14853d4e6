/**
 * A write of a tool: what is requested, what it needs, and the facts of its result.
 */
import type { FileFact } from '@crewagent/protocol/tools';
import type { FileIdentity } from '../../mounts/file-identity.ts';
import type { MountPath } from '../../mounts/mount-path.ts';
import type { MountedFs } from '../../mounts/mounted-fs.ts';
import type { FindRunner } from '../../mounts/sensitive/runs-later.ts';
import type { StateGate } from '../state/state-gate.ts';
import type { ChangeRecorder, ToolFact } from '../tool.ts';
import type { ToolPaths } from '../tool-paths.ts';
import type { EffectFacts, ToolCallContext } from '../tool-source.ts';
import type { CurrentContent, NextContent } from './hidden-content.ts';

export interface WriteSources {
  readonly files: MountedFs;
  readonly paths: ToolPaths;
  /** Undefined in a thread, which has no state document. */
  readonly gate: StateGate | undefined;
  readonly recorder: ChangeRecorder;
  readonly findRunner: FindRunner;
  readonly artifactsDir: string;
  readonly maxWriteBytes: number;
  /** In strict mode only runtime.* tools change the state document. */
  readonly strictState: boolean;
  onFact(fact: ToolFact): void;
}

export interface CurrentFile extends CurrentContent {
  readonly mode: number;
  readonly identity: FileIdentity;
}

export interface WriteRequest {
  readonly path: MountPath;
  readonly call: ToolCallContext;
  readonly ifMatchSha256: string | undefined;
  readonly next: NextContent;
  /** Builds the tool's result. */
  describe(facts: WriteFacts): Record<string, unknown>;
  /** Effect besides the path. */
  effectOf(facts: Pick<WriteFacts, 'diff'> & { readonly isNew: boolean }): EffectFacts;
}

export interface WriteFacts {
  readonly sha256Before: string | undefined;
  readonly sha256After: string;
  readonly diff: string;
  /** The file is the state document. */
  readonly isState: boolean;
}

/** A checked change of one file. */
export interface FileChange {
  /** With links resolved. */
  readonly path: MountPath;
  readonly callId: string;
  /** Undefined for a new file. */
  readonly current: CurrentFile | undefined;
  readonly content: Buffer;
  readonly fact: FileFact;
}
