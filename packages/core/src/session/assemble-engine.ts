/**
 * Assembles the engine of a run or a thread from the files on disk: mounts, journal, log, model. The caller holds the
 * lock.
 */

import type { AgentDefinition } from '@crewagent/protocol/agents';
import { covers } from '@crewagent/protocol/approvals';
import type { RunEvent } from '@crewagent/protocol/events';
import type { UndoneFile, UndoSelection } from '@crewagent/protocol/journal';
import type { RunModel } from '@crewagent/protocol/model';
import type { Project } from '@crewagent/protocol/project';
import type { RunRecord } from '@crewagent/protocol/run';
import type { ApprovalPreset } from '@crewagent/protocol/tools';
import { CrewError, ifPossible } from '../base/crew-error.ts';
import { withDiskErrors } from '../base/errno.ts';
import type { CallSources } from '../engine/calls/called-run.ts';
import type {
  CarryOver,
  EngineRecord,
  EngineSources,
  StandingApprovals,
  WorkflowPlan,
  WorkHooks,
} from '../engine/engine-sources.ts';
import { type ExecutionEngine, openExecutionEngine } from '../engine/execution-engine.ts';
import type { LLMAdapter } from '../llm/llm-adapter.ts';
import { createMountedFs, type MountedFs, type MountRoots } from '../mounts/mounted-fs.ts';
import { withSeal } from '../mounts/package-seal.ts';
import { reportFaults } from '../mounts/report-faults.ts';
import { createRunnerCheck } from '../mounts/sensitive/runs-later.ts';
import { createSecretCheck, type IsSecret } from '../mounts/sensitive/secret-files.ts';
import { findCap, restrictApproval, restrictLimits } from '../policy/restrict.ts';
import type { Journal } from '../store/journal.ts';
import { withApproval } from '../store/project-store.ts';
import type { Store } from '../store/store.ts';
import type { WorkAddress } from '../store/work-address.ts';
import type { FollowedWork } from '../telemetry/follow-work.ts';
import { followMoves } from './changes/follow-moves.ts';
import { moveChanges } from './changes/open-changes.ts';
import { type RewindRequest, type Rewound, rewindRun } from './changes/rewind-run.ts';
import { openTools, type ToolOpeners } from './open-tools.ts';
import { loadBackground, readWorkflowFile } from './prompt-facts.ts';

export interface EngineParts {
  readonly record: EngineRecord;
  readonly plan: WorkflowPlan | undefined;
  readonly agents: readonly AgentDefinition[];
  readonly project: Project;
  /** Package mounted as `@pkg`; undefined in a chat. */
  readonly packageHash: string | undefined;
  readonly address: WorkAddress;
  readonly savePhase: EngineSources['savePhase'];
  /** Receives every event, from the first one on. */
  readonly onEvent?: EngineSources['onEvent'];
  readonly menu?: EngineSources['menu'];
  readonly carryOver?: EngineSources['carryOver'];
  /** Sources for calling sub-workflows with the adapter of this engine. */
  readonly calls?: ((adapter: LLMAdapter) => CallSources) | undefined;
  /** Undoes the changes of a called run. */
  undoCalled?(childId: string): Promise<readonly UndoneFile[]>;
}

export interface AssemblyOptions extends ToolOpeners {
  readonly store: Store;
  readonly now: () => Date;
  createAdapter(model: RunModel): Promise<LLMAdapter>;
  /** Undefined for a run that is no rerun. */
  openCarryOver?(record: RunRecord): Promise<CarryOver | undefined>;
  /** Undefined where no hook holds. */
  openHooks?(parts: HookWork): Promise<WorkHooks | undefined>;
  /** Receives the events of a Work until it is closed; undefined where nobody collects telemetry. */
  readonly followWork?: ((work: FollowedWork) => Promise<Follower>) | undefined;
  readonly attendance?: EngineSources['attendance'];
  readonly quota?: EngineSources['quota'];
  onBug(id: string, error: unknown): void;
}

export interface Follower {
  observe(event: RunEvent): void;
  close(): Promise<void>;
}

/** What hooks know of a Work. */
export interface HookWork {
  readonly project: Project;
  readonly runId: string;
  readonly workflow: string | undefined;
  readonly isCalled: boolean;
  titleOf(nodeId: string): string;
  readonly isSecret: IsSecret;
  /** Real folder for views of the project, private to the Work. */
  readonly viewsFolder: string;
}

export interface AssembledEngine {
  readonly engine: ExecutionEngine;
  readonly files: MountedFs;
  /** Changes to project files. */
  readonly journal: Pick<Journal, 'list'>;
  undo(selection: UndoSelection): Promise<UndoneFile[]>;
  redo(selection: UndoSelection): Promise<UndoneFile[]>;
  /** Resets the run to a node it has visited; rejected while a turn is running. */
  rewind(request: RewindRequest): Promise<Rewound>;
  close(): Promise<void>;
}

/** Disk errors are reported as `DISK` errors. */
export async function assembleEngine(parts: EngineParts, options: AssemblyOptions): Promise<AssembledEngine> {
  return withDiskErrors('It could not be opened', () => assemble(parts, options));
}

/** Reads the preset of the root, which applies at every depth; undefined if its record cannot be read. */
function createApprovalReader(
  { works, policy }: Pick<Store, 'works' | 'policy'>,
  address: WorkAddress,
  calls: CallSources | undefined,
): () => Promise<ApprovalPreset | undefined> {
  const root = { ...address, workId: calls?.caller?.rootId ?? address.workId };
  return async () => {
    const policies = await policy.read();
    return works.read(root).then(
      ({ tools }) => restrictApproval(policies, tools.approval),
      () => undefined,
    );
  };
}

/** What the policies leave of a record, whatever it was created with. */
async function restrictRecord(
  { tools, limits, ...record }: EngineRecord,
  { policy }: Pick<Store, 'policy'>,
): Promise<EngineRecord & Pick<EngineSources, 'cap'>> {
  const policies = await policy.read();
  return {
    ...record,
    tools: { ...tools, approval: restrictApproval(policies, tools.approval) },
    limits: restrictLimits(policies, limits),
    cap: findCap(policies),
  };
}

type OnEvent = EngineSources['onEvent'];

function withObserver(onEvent: OnEvent, observer: Pick<Follower, 'observe'> | undefined): OnEvent {
  if (!observer) return onEvent;
  return (event) => {
    observer.observe(event);
    onEvent?.(event);
  };
}

async function assemble(
  {
    record: given,
    plan,
    agents,
    project,
    packageHash,
    address,
    savePhase,
    onEvent,
    menu,
    carryOver,
    ...parts
  }: EngineParts,
  options: AssemblyOptions,
): Promise<AssembledEngine> {
  const { store, now, createAdapter, openMcp, openShell, followWork, attendance, quota, onBug } = options;
  const { works } = store;
  const { cap, ...found } = await restrictRecord(given, store);
  await works.tidy(address);
  const isSecret = createSecretCheck(found.tools.fs.secretPatterns);
  const roots = { project: project.path, state: await works.stateFolder(address) };
  const { seal, mounted, files } = await mountFiles(store, packageHash, roots, { isSecret, ...found });
  const warnings: string[] = [];
  const warn = (message: string): void => void warnings.push(message);
  const journal = await works.openJournal(address, { files: mounted, clock: now, warn });
  const opened: (() => unknown)[] = [];
  try {
    const adapter = await createAdapter(found.model);
    opened.push(() => adapter.close());
    const findRunner = createRunnerCheck(found.tools.fs.runsLaterPatterns);
    const programs = { files, isSecret, findRunner, journal, viewsFolder: works.viewsFolder(address) };
    const { record, closeTools, ...tools } = await openTools(found, project, {
      adapter,
      openMcp,
      openShell,
      verifyHere: options.verifyHere,
      ...programs,
    });
    opened.push(closeTools);
    const calls = parts.calls?.(adapter);
    const follower = await followWork?.({
      ...{ workId: record.runId, rootId: calls?.caller?.rootId ?? record.runId },
      ...{ model: record.model, workflow: plan?.ref },
    });
    if (follower) opened.push(() => follower.close());
    const hooks = await openWorkHooks(record, {
      ...{ project, plan, isSecret, viewsFolder: programs.viewsFolder, options },
      isCalled: calls?.caller !== undefined,
    });
    const engine = await openExecutionEngine({
      record,
      plan,
      agents,
      background: await loadBackground(store, project, now),
      workflow: await readWorkflowFile(seal, plan?.workflowPath),
      menu,
      calls,
      files,
      document: works.openState(address),
      isSecret,
      ...tools,
      carryOver,
      onEvent: withObserver(withObserver(onEvent, follower), carryOver),
      openLog: (onLine) => works.openLog(address, { now, onEvent: withObserver(onLine, carryOver) }),
      journal,
      adapter,
      approvals: standingApprovals(store, project),
      readApproval: createApprovalReader(store, address, calls),
      attendance,
      quota,
      cap,
      hooks,
      clock: { now, monotonicMs: () => performance.now() },
      savePhase,
      onBug,
    });
    opened.push(() => engine.close());
    if (hooks) opened.push(followWith(hooks, engine));
    for (const message of warnings) engine.emit({ type: 'warning', message });
    opened.push(await works.watchStop(address, () => void engine.stop()));
    // Opening it is tried again, and the error reported, when the run continues.
    await ifPossible(engine.openCall());
    const follow = (moved: readonly UndoneFile[]) => followInEngine(engine, files, moved);
    const readLog = (onEventOf: (event: RunEvent) => void) => works.readLog(address, onEventOf);
    return {
      engine,
      files,
      journal,
      ...createUndo(engine, journal, follow),
      rewind: (request) =>
        rewindRun({ engine, journal, readLog, follow, undoCalled: parts.undoCalled }, request),
      close: () => closeAll(opened),
    };
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
}

/** The last one that was opened is closed first; all of them, whatever fails. */
async function closeAll(opened: (() => unknown)[]): Promise<void> {
  const close = opened.pop();
  if (!close) return;
  try {
    await close();
  } finally {
    await closeAll(opened);
  }
}

/** `files`: for tools and prompts, with errors that pause a run. The journal settles what is missing by itself. */
async function mountFiles(
  { packages, works }: Pick<Store, 'packages' | 'works'>,
  hash: string | undefined,
  own: Pick<MountRoots, 'project' | 'state'>,
  { isSecret, tools }: { readonly isSecret: IsSecret } & Pick<RunRecord, 'tools'>,
) {
  const pkg = hash === undefined ? undefined : packages.folder(hash);
  const roots = { ...own, pkg, isThrowaway: works.isThrowaway };
  const seal = hash === undefined ? undefined : await packages.seal(hash);
  const mounted = createMountedFs(roots, isSecret);
  return { seal, mounted, files: reportFaults(withSeal(mounted, seal), roots, tools.artifactsDir) };
}

function followInEngine(
  { memory, emit, changeArtifacts }: ExecutionEngine,
  files: MountedFs,
  moved: readonly UndoneFile[],
): Promise<void> {
  const { state, undoneArtifacts: undone } = memory;
  return followMoves(moved, files, {
    recorded: state.artifacts,
    undone,
    append: emit,
    change: changeArtifacts,
  });
}

function createUndo(
  engine: ExecutionEngine,
  journal: Journal,
  follow: (moved: readonly UndoneFile[]) => Promise<void>,
): Pick<AssembledEngine, 'undo' | 'redo'> {
  const move = async (direction: 'undo' | 'redo', selection: UndoSelection): Promise<UndoneFile[]> => {
    if (engine.isRunning)
      throw new CrewError(
        'RUN_NOT_READY',
        'Changes cannot be undone while a turn is running. Stop it first.',
      );
    const moved = await moveChanges(journal, direction, selection, engine.emit);
    await follow(moved);
    return moved;
  };
  return {
    undo: async (selection) => move('undo', selection),
    redo: async (selection) => move('redo', selection),
  };
}

interface HookParts extends Pick<HookWork, 'project' | 'isSecret' | 'viewsFolder' | 'isCalled'> {
  readonly plan: WorkflowPlan | undefined;
  readonly options: AssemblyOptions;
}

/** Nobody is told about a rehearsal or a replay. */
async function openWorkHooks(
  { model, runId }: EngineRecord,
  { plan, options, ...work }: HookParts,
): Promise<WorkHooks | undefined> {
  if (model.kind === 'rehearsal' || model.kind === 'replay') return undefined;
  const titleOf = (nodeId: string): string => plan?.nodes.get(nodeId)?.title ?? nodeId;
  return options.openHooks?.({ ...work, runId, workflow: plan?.ref, titleOf });
}

/** Returns what ends it. */
function followWith(hooks: WorkHooks, engine: ExecutionEngine): () => Promise<void> {
  engine.subscribe((event) => hooks.observe(event, engine.emit));
  return () => hooks.close();
}

/** Reads the project file each time, because a person may have revoked an approval. */
function standingApprovals(store: Store, { projectId }: Project): StandingApprovals {
  return {
    async has(tool, path) {
      const { approvals } = await store.projects.read(projectId);
      return approvals.some((known) => covers({ ...known, reach: known.reach ?? 'file' }, tool, path));
    },
    add: async (consent) =>
      void (await store.projects.update(projectId, (latest) => withApproval(latest, consent))),
  };
}
