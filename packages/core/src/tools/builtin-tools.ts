/**
 * Creates the built-in tools of a run or a thread from its files, state gate and policy.
 */
import type { MenuEntry } from '@crewagent/protocol/commands';
import type { MountedFs } from '../mounts/mounted-fs.ts';
import { createRunnerCheck } from '../mounts/sensitive/runs-later.ts';
import type { IsSecret } from '../mounts/sensitive/secret-files.ts';
import { createFsApplyPatch } from './files/fs-apply-patch.ts';
import { createFsList } from './files/fs-list.ts';
import { createFsRead } from './files/fs-read.ts';
import { createFsWrite } from './files/fs-write.ts';
import { createCompleteNode, createGoBack, createUpdateState, type GoBackSources } from './runtime-tools.ts';
import { createFsSearch } from './search/fs-search.ts';
import type { StateGate } from './state/state-gate.ts';
import { NO_UNSEEN_STEPS, type UnseenSteps } from './state/unseen-steps.ts';
import type { ChangeRecorder, Tool, ToolFact } from './tool.ts';
import { createToolPaths, type PackageLayout } from './tool-paths.ts';
import type { ToolPolicy } from './tool-policy.ts';
import { createAskUser, createProposeCommand, createScriptDone, type FollowedScript } from './ui-tools.ts';

export interface BuiltinSources {
  readonly files: MountedFs;
  readonly isSecret: IsSecret;
  readonly policy: ToolPolicy;
  /** Shared by all agents of a run; undefined in a thread, which has no state document. */
  readonly gate: StateGate | undefined;
  /** Steps of the run's workflow; a thread has none. */
  readonly unseenSteps?: UnseenSteps;
  /** Nodes that the run can go back to. */
  readonly earlierNodes?: Omit<GoBackSources, 'gate'> | undefined;
  /** Menu of the active agent. */
  readonly menu?: readonly MenuEntry[];
  /** Folders for resolving relative paths; a chat has no package. */
  readonly packageLayout?: PackageLayout | undefined;
  /** Only in a conversation with an agent. */
  readonly script?: FollowedScript | undefined;
  readonly recorder: ChangeRecorder;
  readonly now: () => Date;
  onFact(fact: ToolFact): void;
}

export function createBuiltinTools(sources: BuiltinSources): readonly Tool[] {
  const { files, isSecret, policy, gate, menu: entries = [], packageLayout, recorder, now, onFact } = sources;
  const { artifactsDir, strictState } = policy;
  const unseenSteps = (policy.readAhead ? undefined : sources.unseenSteps) ?? NO_UNSEEN_STEPS;
  const { maxReadBytes, maxWriteBytes, inlineReadBytes } = policy.fs;
  const paths = createToolPaths({ files, artifactsDir, gate, packageLayout });
  const findRunner = createRunnerCheck(policy.fs.runsLaterPatterns);
  const writing = {
    files,
    paths,
    gate,
    recorder,
    findRunner,
    artifactsDir,
    maxWriteBytes,
    strictState,
    onFact,
  };
  return [
    createFsRead({ files, paths, unseenSteps }, { maxReadBytes, inlineReadBytes }),
    createFsList(files, paths),
    createFsSearch({ files, isSecret, unseenSteps, paths }),
    createFsWrite(writing),
    createFsApplyPatch(writing),
    ...(gate ? [createCompleteNode({ gate, now })] : []),
    ...(gate && strictState ? [createUpdateState({ gate, now })] : []),
    ...(gate && sources.earlierNodes ? [createGoBack({ gate, ...sources.earlierNodes })] : []),
    createAskUser(),
    ...(entries.length > 0 ? [createProposeCommand({ entries, onFact })] : []),
    ...(sources.script ? [createScriptDone(sources.script)] : []),
  ];
}
