/**
 * The tools every run and every talk has, wired to its files, its state and its policy.
 */
import type { MenuEntry } from '@crewagent/protocol/commands';
import type { MountedFs } from '../mounts/mounted-fs.ts';
import type { IsSecret } from '../mounts/secret-files.ts';
import { createAskUser } from './ask-user.ts';
import { createFsApplyPatch } from './fs-apply-patch.ts';
import { createFsList } from './fs-list.ts';
import { createFsRead } from './fs-read.ts';
import { createFsSearch } from './fs-search.ts';
import { createFsWrite } from './fs-write.ts';
import { createProposeCommand } from './propose-command.ts';
import { createCompleteNode, createUpdateState } from './runtime-tools.ts';
import { createScriptDone, type FollowedScript } from './script-done.ts';
import type { StateGate } from './state-gate.ts';
import type { ChangeRecorder, Tool, ToolFact } from './tool.ts';
import { createToolPaths, type PackageFolders } from './tool-paths.ts';
import type { ToolPolicy } from './tool-policy.ts';
import { NO_UNSEEN_STEPS, type UnseenSteps } from './unseen-steps.ts';

export interface BuiltinSources {
  readonly files: MountedFs;
  readonly isSecret: IsSecret;
  readonly policy: ToolPolicy;
  /** The run's one gate, whichever agent's tools these are; a talk has no state document. */
  readonly gate: StateGate | undefined;
  /** Of the run's workflow; a talk has none. */
  readonly unseenSteps?: UnseenSteps;
  /** Of the agent that is talked to. */
  readonly menu?: readonly MenuEntry[];
  /** Where relative paths are looked for; a chat has no package. */
  readonly places?: PackageFolders | undefined;
  /** Of a talk with an agent. */
  readonly script?: FollowedScript | undefined;
  readonly recorder: ChangeRecorder;
  readonly now: () => Date;
  onFact(fact: ToolFact): void;
}

export function createBuiltinTools(sources: BuiltinSources): readonly Tool[] {
  const { files, isSecret, policy, gate, menu: entries = [], places, recorder, now, onFact } = sources;
  const { artifactsDir, strictState } = policy;
  const unseenSteps = (policy.readAhead ? undefined : sources.unseenSteps) ?? NO_UNSEEN_STEPS;
  const { maxReadBytes, maxWriteBytes, inlineReadBytes } = policy.fs;
  const paths = createToolPaths({ files, artifactsDir, gate, places });
  const writing = { files, paths, gate, recorder, artifactsDir, maxWriteBytes, strictState, onFact };
  return [
    createFsRead({ files, paths, unseenSteps }, { maxReadBytes, inlineReadBytes }),
    createFsList(files, paths),
    createFsSearch({ files, isSecret, unseenSteps, paths }),
    createFsWrite(writing),
    createFsApplyPatch(writing),
    ...(gate ? [createCompleteNode({ gate, now })] : []),
    ...(gate && strictState ? [createUpdateState({ gate, now })] : []),
    createAskUser(),
    ...(entries.length > 0 ? [createProposeCommand({ entries, onFact })] : []),
    ...(sources.script ? [createScriptDone(sources.script)] : []),
  ];
}
