/**
 * Composition root: creates the runtime that the command line, the server and scripts use. Its parts get small objects,
 * never the whole runtime.
 */
import { existsSync, readdirSync } from 'node:fs';
import type { JournalEntry } from '@crewagent/protocol/journal';
import type { VerifyCommand } from '@crewagent/protocol/proof';
import type { RunRecord } from '@crewagent/protocol/run';
import type { ApprovalPreset } from '@crewagent/protocol/tools';
import { VERSION } from '@crewagent/protocol/version';
import type { WorkRecord } from '@crewagent/protocol/work';
import { CrewError } from './base/crew-error.ts';
import type { ValidationContext } from './bmad/check/validate-package.ts';
import type { Bundles } from './bundle/bundles.ts';
import type { Attendance, Quota } from './engine/engine-sources.ts';
import type { StaleDeps } from './file-use/read-stale.ts';
import type { ForkDeps } from './fork/fork-copies.ts';
import type { ForkRequest, planFork } from './fork/fork-run.ts';
import type { KeyGate } from './llm/provider/key-gate.ts';
import { requireAllowed } from './policy/restrict.ts';
import type { RerunRequest } from './rerun/rerun-stale.ts';
import type {
  ConversationFilter,
  ConversationRequest,
  ReopenConversation,
} from './session/conversation/conversations.ts';
import type { HostedRun } from './session/hosted/host-run.ts';
import type { Environment } from './session/models/choose-model.ts';
import type { OpenRun } from './session/open-run.ts';
import type { Session } from './session/session.ts';
import { createToolOpeners } from './session/tool-openers.ts';
import type { UpgradeRequest } from './session/upgrade/upgrade-run.ts';
import type {
  HostRequest,
  Recording,
  ReopenOptions,
  StartRequest,
  WorkOpeners,
} from './session/work-openers.ts';
import { createKnownServers } from './store/disk/known-servers.ts';
import { createStoreLayout } from './store/disk/layout.ts';
import { openDiskStore } from './store/disk/open-store.ts';
import { secureStoreRoot } from './store/disk/secure-store-root.ts';
import { archiveConversation, renameConversation, setApproval } from './store/edit-work.ts';
import { listRuns } from './store/find-works.ts';
import { type SweepOptions, settleListed, settleWork, sweepInterrupted } from './store/interrupted-works.ts';
import type { SecretStore } from './store/secret-store.ts';
import type { Store } from './store/store.ts';
import type { WorkAddress } from './store/work-address.ts';
import type { ListedWork } from './store/work-store.ts';

export interface RuntimeOptions {
  /** Folder of the store on disk. */
  readonly storeRoot: string;
  /** A store elsewhere; `storeRoot` is then a folder for what it keeps on this machine. */
  readonly store?: Store | undefined;
  /** Environment variables with API keys, model names and the place of a policy; no others are read. */
  readonly env?: Environment;
  /** Default: `secrets.json` of the store. */
  readonly secrets?: SecretStore | undefined;
  readonly now?: () => Date;
  /** Called with internal errors and the id that is shown to people. */
  readonly onBug?: (id: string, error: unknown) => void;
  /** Called with warnings that belong to no run, such as a recording that stopped. */
  readonly onWarning?: (message: string) => void;
  /** Whether a person is there. Default: always. */
  readonly attendance?: Attendance | undefined;
  /** Of processes that use the same API keys. */
  readonly keyGate?: KeyGate | undefined;
  /** Limits what people and projects spend; default: only the limits of each run hold. */
  readonly quota?: Quota | undefined;
  /** Somebody else continues Works whose process has ended, so that they are not marked as interrupted here. */
  readonly areContinuedElsewhere?: boolean | undefined;
  /** How long an unused MCP server keeps running. Default: it is stopped immediately. */
  readonly mcpIdleMs?: number;
}

export type Runtime = ReturnType<typeof createRuntime>;

export function createRuntime(options: RuntimeOptions) {
  const { env = {}, now = () => new Date(), onBug = () => undefined, onWarning = () => undefined } = options;
  secureStoreRoot(options.storeRoot);
  const store = options.store ?? openDiskStore(options.storeRoot, onWarning, options.env);
  const { secrets = store.secrets, attendance, keyGate, quota } = options;
  const { openMcp, openShell, openHooks, ...tools } = createToolOpeners(store, env, options.mcpIdleMs);
  const context = { runtimeVersion: VERSION, knownServers: createKnownServers(store.root) };
  const parts = {
    store,
    env,
    secrets,
    context,
    now,
    openMcp,
    openShell,
    openHooks,
    openCarryOver: createCarryOverOpener({ store, context }),
    verifyHere: createVerifier(context),
    attendance,
    keyGate,
    quota,
    onBug,
    warn: onWarning,
  };
  const adoptions = createStoreLayout(options.storeRoot).adoptionsFolder;
  const loadBundles = async (): Promise<Bundles> => {
    const { createBundles } = await import('./bundle/bundles.ts');
    return createBundles({ store, context, now, secrets, env, adoptions });
  };
  const finish = (): Promise<void> => finishAdoptions(adoptions, loadBundles, onWarning);
  let openers: Promise<WorkOpeners> | undefined;
  const loadOpeners = (): Promise<WorkOpeners> =>
    (openers ??= finish()
      .then(() => import('./session/work-openers.ts'))
      .then(({ createWorkOpeners }) => createWorkOpeners(parts)));
  return {
    store,
    secrets,
    settings: () => store.settings.load(),
    ...createWorkAccess(store, loadOpeners, finish),
    ...createWorkChanges({ store, context, now, finish }),
    ...createForks({ store, context, env, now }),
    ...createSettling({ store, finish }, options.areContinuedElsewhere === true, { now, onProblem: onBug }),
    /** Completes what processes that died had begun to take over from files and servers. */
    finishAdoptions: finish,
    /** Runs in one file; the code is loaded with the first one. */
    bundles: loadBundles,
    /** Package folders that a person edits; the code is loaded with the first one. */
    authorFolders: () =>
      import('./author/author-folders.ts').then(({ createAuthorFolders }) =>
        createAuthorFolders({ privateFolder: store.root, context }),
      ),
    /** Loads the code for built-in models. */
    builtinModels: () => import('./session/models/builtin-models.ts'),
    ...tools,
  };
}

function createCarryOverOpener(deps: StaleDeps) {
  return async (record: RunRecord) =>
    record.rerunOf === undefined
      ? undefined
      : (await import('./rerun/carry-over.ts')).openCarryOver(record, deps);
}

/** Its code is loaded with the first such command. */
function createVerifier(context: ValidationContext) {
  return async (command: VerifyCommand, projectPath: string, signal: AbortSignal) =>
    /^crewagent\s/.test(command.run)
      ? (await import('./package-tests/verify-package.ts')).verifyPackage(command, {
          projectPath,
          context,
          signal,
        })
      : undefined;
}

function createForks(deps: ForkDeps) {
  const load = () => import('./fork/fork-run.ts');
  const loadRerun = () => import('./rerun/rerun-stale.ts');
  return {
    /** What a fork of a run would do. */
    planFork: async (request: Parameters<typeof planFork>[0]) => (await load()).planFork(request, deps),
    /** A new Work that goes on from a point of another one, which is only read. */
    forkRun: async (request: ForkRequest) => (await load()).forkRun(request, deps),
    /** What a rerun of a run's stale steps would do, and the rerun, ready to be resumed. */
    planRerun: async (ref: string) => (await loadRerun()).planRerun(ref, deps),
    rerunStale: async (request: RerunRequest) => (await loadRerun()).rerunStale(request, deps),
  };
}

/** Before Works are listed or opened: what a process that died had begun to store becomes complete. */
async function finishAdoptions(
  folder: string,
  loadBundles: () => Promise<Bundles>,
  warn: (message: string) => void,
): Promise<void> {
  if (!existsSync(folder) || readdirSync(folder).length === 0) return;
  try {
    await (await loadBundles()).finish(warn);
  } catch (error) {
    if (!(error instanceof CrewError)) throw error;
    warn(error.message);
  }
}

function createSettling(
  { store: { works }, finish }: { readonly store: Store; finish(): Promise<void> },
  areContinuedElsewhere: boolean,
  options: SweepOptions,
) {
  return {
    /** Marks Works whose process has ended as interrupted, and returns them. */
    async sweepInterrupted(): Promise<WorkRecord[]> {
      await finish();
      return areContinuedElsewhere ? [] : sweepInterrupted(works, options);
    },
    /** `sweepInterrupted` for Works that are about to be printed. */
    settleListed: async <Listed extends ListedWork>(listed: readonly Listed[]): Promise<readonly Listed[]> =>
      areContinuedElsewhere ? listed : settleListed(works, listed, options),
    /** `sweepInterrupted` for a Work that is about to be shown or opened. */
    async settleWork(address: WorkAddress): Promise<void> {
      await finish();
      if (!areContinuedElsewhere) await settleWork(works, address, options);
    },
  };
}

/** Creates, opens and lists Works. The code of runs is loaded with the first one that is opened. */
function createWorkAccess(
  store: Store,
  loadOpeners: () => Promise<WorkOpeners>,
  finish: () => Promise<void>,
) {
  /** Creates and opens a conversation, or a run that `engine.start()` starts. */
  function createWork(request: StartRequest): Promise<OpenRun>;
  function createWork(request: ConversationRequest & Recording): Promise<Session>;
  async function createWork(
    request: StartRequest | (ConversationRequest & Recording),
  ): Promise<OpenRun | Session> {
    const openers = await loadOpeners();
    return 'kind' in request ? openers.createWork(request) : openers.createWork(request);
  }
  return {
    createWork,
    /** Creates a Work for another process to open. */
    registerWork: async (request: StartRequest | ConversationRequest): Promise<WorkAddress> =>
      (await loadOpeners()).registerWork(request),
    /** Opens an existing run; for a called run, the root of its calls. `model` replaces its model. */
    openRun: async (ref: string, options?: ReopenOptions): Promise<OpenRun> =>
      (await loadOpeners()).openRun(ref, options),
    /** Creates or opens a run whose calls another agent makes. */
    hostRun: async (request: HostRequest): Promise<HostedRun> => (await loadOpeners()).hostRun(request),
    openConversation: async (ref: string, options?: ReopenConversation & Recording): Promise<Session> =>
      (await loadOpeners()).openConversation(ref, options),
    listRuns: () => finish().then(() => listRuns(store)),
    async listConversations(filter: ConversationFilter = {}) {
      const { listProjectConversations } = await import('./session/conversation/conversations.ts');
      return listProjectConversations(filter, store);
    },
  };
}

/** What a person changes about Works and undoes of them. */
function createWorkChanges({
  store,
  context,
  now,
  finish,
}: StaleDeps & { now(): Date; finish(): Promise<void> }) {
  const { works } = store;
  /** Loaded on demand: few commands need it. */
  const trees = () => import('./session/changes/open-tree-changes.ts');
  return {
    /** Undo and redo of file changes of the Work itself. */
    openChanges: async (address: WorkAddress) =>
      (await import('./session/changes/open-changes.ts')).openChanges(address, { store, now }),
    /** Undo and redo of file changes of the Work and the runs that it called; `withRuns` adds the runs of a conversation. */
    openTreeChanges: async (address: WorkAddress, withRuns = false) => {
      await finish();
      return (await trees()).openTreeChanges(address, { store, now, withRuns });
    },
    /** File changes of the runs that a run called; `findOpen` returns the changes of a run that is open. */
    listCalledChanges: async (
      address: WorkAddress,
      findOpen: (workId: string) => Promise<readonly JournalEntry[] | undefined>,
    ) => (await trees()).listCalledChanges(address, { store, now }, findOpen),
    /** What moving a run to the newest installed version of its package changes; undefined if it has that version. */
    planUpgrade: async (run: string) =>
      (await import('./session/upgrade/upgrade-run.ts')).planNewest(run, { store, context, now }),
    /** Moves a run to another version of its package; `openRun` then completes it. */
    upgradeRun: async (request: UpgradeRequest) =>
      (await import('./session/upgrade/upgrade-run.ts')).upgradeRun(request, { store, context, now }),
    renameConversation: (address: WorkAddress, title: string) => renameConversation(works, address, title),
    archiveConversation: (address: WorkAddress, isArchived: boolean) =>
      archiveConversation(works, address, isArchived, now),
    /** Sets the approval preset of a Work that no process has open. */
    async setApproval(address: WorkAddress, preset: ApprovalPreset): Promise<void> {
      requireAllowed(await store.policy.read(), { kind: 'approval', preset });
      await setApproval(works, address, preset);
    },
    /** Deletes the Work with its runs and all other stored data; files of the project stay. */
    deleteWork: (address: WorkAddress) => works.remove(address),
  };
}
