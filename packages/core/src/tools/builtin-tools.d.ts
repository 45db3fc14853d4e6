/**
 * The tools every run has, wired to its files, its graph and its policy.
 */
import type { WorkflowGraph } from '@crewagent/protocol/workflow';
import type { MountedFs } from '../mounts/mounted-fs.ts';
import type { IsSecret } from '../mounts/secret-files.ts';
import type { StateGate } from './state-gate.ts';
import type { ChangeRecorder, Tool, ToolFact } from './tool.ts';
import type { ToolPolicy } from './tool-policy.ts';
export interface BuiltinSources {
  readonly files: MountedFs;
  readonly isSecret: IsSecret;
  readonly policy: ToolPolicy;
  readonly graph: WorkflowGraph;
  /** The run's one gate, whichever agent's tools these are. */
  readonly gate: StateGate;
  readonly recorder: ChangeRecorder;
  readonly now: () => Date;
  onFact(fact: ToolFact): void;
}
export declare function createBuiltinTools(sources: BuiltinSources): readonly Tool[];
