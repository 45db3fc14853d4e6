/**
 * The tools every run has, wired to its files, its graph and its policy.
 */
import type { WorkflowGraph } from '@crewagent/protocol/workflow';
import type { MountedFs } from '../mounts/mounted-fs.ts';
import type { IsSecret } from '../mounts/secret-files.ts';
import { createAskUser } from './ask-user.ts';
import { createFsApplyPatch } from './fs-apply-patch.ts';
import { createFsList } from './fs-list.ts';
import { createFsRead } from './fs-read.ts';
import { createFsSearch } from './fs-search.ts';
import { createFsWrite } from './fs-write.ts';
import { findMissingOutputs } from './node-outputs.ts';
import { createCompleteNode, createUpdateState } from './runtime-tools.ts';
import { createStateGate, type StateGate } from './state-gate.ts';
import type { ChangeRecorder, Tool, ToolFact } from './tool.ts';
import type { ToolPolicy } from './tool-policy.ts';

export interface BuiltinSources {
  readonly files: MountedFs;
  readonly isSecret: IsSecret;
  readonly policy: ToolPolicy;
  readonly graph: WorkflowGraph;
  /** The declared outputs of a node, as project-relative paths. */
  outputsOf(nodeId: string): readonly string[];
  readonly recorder: ChangeRecorder;
  readonly now: () => Date;
  onFact(fact: ToolFact): void;
}

export interface BuiltinTools {
  readonly tools: readonly Tool[];
  readonly gate: StateGate;
}

export function createBuiltinTools(sources: BuiltinSources): BuiltinTools {
  const { files, isSecret, policy, graph, recorder, now, onFact } = sources;
  const { artifactsDir, strictState, strictOutputs } = policy;
  const gate = createStateGate({
    files,
    graph,
    now,
    strictOutputs,
    missingOutputs: (nodeId, variables) => findMissingOutputs(sources.outputsOf(nodeId), variables, files),
    onFact,
  });
  const { maxReadBytes, maxWriteBytes, inlineReadBytes } = policy.fs;
  const writing = { files, gate, graph, recorder, artifactsDir, maxWriteBytes, strictState, onFact };
  const tools = [
    createFsRead(files, { maxReadBytes, inlineReadBytes, artifactsDir }),
    createFsList(files, artifactsDir),
    createFsSearch({ files, isSecret, artifactsDir }),
    createFsWrite(writing),
    createFsApplyPatch(writing),
    createCompleteNode({ gate, graph, now }),
    createUpdateState({ gate, graph, now }),
    createAskUser(),
  ];
  return { tools, gate };
}
