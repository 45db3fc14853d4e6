/**
 * Composition root: creates the runtime that the command line, the server and scripts use. Its parts get small objects,
 * never the whole runtime.
 */
import type { JournalEntry } from '@crewagent/protocol/journal';
import type { RunModel } from '@crewagent/protocol/model';
import type { ApprovalPreset } from '@crewagent/protocol/tools';
import { VERSION } from '@crewagent/protocol/version';
import { createUuidV7 } from './base/uuid-v7.ts';
import type { Attendance } from './engine/engine-sources.ts';
import { openChanges } from './session/changes/open-changes.ts';
import type {
  ConversationFilter,
  ConversationRequest,
  ReopenConversation,
} from './session/conversation/conversations.ts';
import {
  chooseModel,
  type Environment,
  isModelNamed,
  type ModelChoice,
} from './session/models/choose-model.ts';
import { createAdapterSource, withProjectModel } from './session/models/model-routes.ts';
import { type OpenRun, openRun } from './session/open-run.ts';
import type { Session } from './session/session.ts';
import { type RunRequest, startRun } from './session/start-run.ts';
import { createToolOpeners } from './session/tool-openers.ts';
import { createKnownServers } from './store/disk/known-servers.ts';
import { openDiskStore } from './store/disk/open-store.ts';
import { secureStoreRoot } from './store/disk/secure-store-root.ts';
import { archiveConversation, renameConversation, setApproval } from './store/edit-work.ts';
import { findRoot, listRuns, resolveRun } from './store/find-works.ts';
import { settleListed, settleWork, sweepInterrupted } from './store/interrupted-works.ts';
import type { SecretStore } from './store/secret-store.ts';
import type { Store } from './store/store.ts';
import { toAddress, type WorkAddress } from './store/work-address.ts';
import type { ListedWork } from './store/work-store.ts';

export interface RuntimeOptions {
  readonly storeRoot: string;
  /** Environment variables with API keys and model names; no others are read. */
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
  /** How long an unused MCP server keeps running. Default: it is stopped immediately. */
  readonly mcpIdleMs?: number;
}

export type Runtime = ReturnType<typeof createRuntime>;

export function createRuntime(options: RuntimeOptions) {
  const { env = {}, now = () => new Date(), onBug = () => undefined, onWarning = () => undefined } = options;
  secureStoreRoot(options.storeRoot);
  const store: Store = openDiskStore(options.storeRoot, onWarning);
  const { secrets = store.secrets, attendance } = options;
  const { openMcp, openShell, ...tools } = createToolOpeners(store, options.mcpIdleMs);
  const context = { runtimeVersion: VERSION, knownServers: createKnownServers(store.root) };
  const opening = { store, context, now, openMcp, openShell, attendance, onBug };
  return {
    store,
    secrets,
    settings: () => store.settings.load(),
    ...createWorkOpeners(opening, env, createAdapterSource({ store, env, secrets, now, warn: onWarning })),
    ...createWorkChanges(store, now),
    /** Marks Works whose process has ended as interrupted, and returns them. */
    sweepInterrupted: () => sweepInterrupted(store.works, { now, onProblem: onBug }),
    /** `sweepInterrupted` for Works that are about to be printed. */
    settleListed: <Listed extends ListedWork>(listed: readonly Listed[]) =>
      settleListed(store.works, listed, { now, onProblem: onBug }),
    /** `sweepInterrupted` for a Work that is about to be shown or opened. */
    settleWork: (address: WorkAddress) => settleWork(store.works, address, { now, onProblem: onBug }),
    /** Loads the code for built-in models. */
    builtinModels: () => import('./session/models/builtin-models.ts'),
    ...tools,
  };
}

export interface Recording {
  /** File that requests and replies are recorded to, for a replay. */
  readonly recordTo?: string | undefined;
}

export type StartRequest = Omit<RunRequest, 'model'> &
  Recording & { readonly model?: ModelChoice | undefined };

export interface ReopenOptions extends Recording {
  readonly model?: ModelChoice | undefined;
}

type Opening = Omit<Parameters<typeof openRun>[1], 'createAdapter'>;

/** Creates, opens and lists Works. */
function createWorkOpeners(
  opening: Opening,
  env: Environment,
  adapterFor: ReturnType<typeof createAdapterSource>,
) {
  const { store, now, context } = opening;
  const newId = createUuidV7(now);
  const sessionOptions = (recordTo: string | undefined, isContinued: boolean) => ({
    ...opening,
    newId,
    settings: () => store.settings.load(),
    chooseModel: async (choice: ModelChoice) => chooseModel(choice, await store.settings.load(), env),
    createAdapter: (model: RunModel) => adapterFor(model, recordTo, isContinued),
  });
  /** Loaded on demand: most runs belong to no conversation. */
  const conversations = () => import('./session/conversation/conversations.ts');

  /** Creates and opens a conversation, or a run that `engine.start()` starts. */
  function createWork(request: StartRequest): Promise<OpenRun>;
  function createWork(request: ConversationRequest & Recording): Promise<Session>;
  async function createWork({
    recordTo,
    ...request
  }: StartRequest | (ConversationRequest & Recording)): Promise<OpenRun | Session> {
    const settings = await store.settings.load();
    const choice = { store, settings, env };
    const model = await withProjectModel(request.model ?? {}, request.projectPath, choice);
    if ('kind' in request)
      return (await conversations()).startConversation(
        { ...request, model },
        sessionOptions(recordTo, false),
      );
    const chosen = chooseModel(model, settings, env);
    // The model comes first, so that a missing key or recording leaves no run behind.
    const adapter = await adapterFor(chosen, recordTo);
    try {
      const started = { store, settings, context, now, newId };
      const { record, loaded } = await startRun({ ...request, model: chosen }, started);
      const createAdapter = () => Promise.resolve(adapter);
      return await openRun(toAddress(record), { ...opening, loaded, createAdapter });
    } catch (error) {
      adapter.close();
      throw error;
    }
  }

  return {
    createWork,
    /** Opens an existing run; for a called run, the root of its calls. `model` replaces its model. */
    async openRun(ref: string, { model: choice = {}, recordTo }: ReopenOptions = {}): Promise<OpenRun> {
      const model = isModelNamed(choice) ? chooseModel(choice, await store.settings.load(), env) : undefined;
      const createAdapter = (used: RunModel) => adapterFor(used, recordTo, true);
      return openRun(await findRoot(store, await resolveRun(store, ref)), {
        ...opening,
        model,
        createAdapter,
      });
    },
    async openConversation(ref: string, { recordTo, ...reopen }: ReopenConversation & Recording = {}) {
      return (await conversations()).reopenConversation(ref, reopen, sessionOptions(recordTo, true));
    },
    listRuns: () => listRuns(store),
    async listConversations(filter: ConversationFilter = {}) {
      return (await conversations()).listProjectConversations(filter, store);
    },
  };
}

/** What a person changes about Works and undoes of them. */
function createWorkChanges(store: Store, now: () => Date) {
  const { works } = store;
  /** Loaded on demand: few commands need it. */
  const trees = () => import('./session/changes/open-tree-changes.ts');
  return {
    /** Undo and redo of file changes of the Work itself. */
    openChanges: (address: WorkAddress) => openChanges(address, { store, now }),
    /** Undo and redo of file changes of the Work and the runs that it called; `withRuns` adds the runs of a conversation. */
    openTreeChanges: async (address: WorkAddress, withRuns = false) =>
      (await trees()).openTreeChanges(address, { store, now, withRuns }),
    /** File changes of the runs that a run called; `findOpen` returns the changes of a run that is open. */
    listCalledChanges: async (
      address: WorkAddress,
      findOpen: (workId: string) => Promise<readonly JournalEntry[] | undefined>,
    ) => (await trees()).listCalledChanges(address, { store, now }, findOpen),
    renameConversation: (address: WorkAddress, title: string) => renameConversation(works, address, title),
    archiveConversation: (address: WorkAddress, isArchived: boolean) =>
      archiveConversation(works, address, isArchived, now),
    /** Sets the approval preset of a Work that no process has open. */
    setApproval: (address: WorkAddress, approval: ApprovalPreset) => setApproval(works, address, approval),
    /** Deletes the Work with its runs and all other stored data; files of the project stay. */
    deleteWork: (address: WorkAddress) => works.remove(address),
  };
}
