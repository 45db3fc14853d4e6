/**
 * Composition root: creates the runtime that the command line, the server and scripts use. Its parts get small objects,
 * never the whole runtime.
 */
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import type { JournalEntry } from '@crewagent/protocol/journal';
import type { ServerList } from '@crewagent/protocol/mcp';
import type { RunModel } from '@crewagent/protocol/model';
import type { Project } from '@crewagent/protocol/project';
import type { Settings } from '@crewagent/protocol/settings';
import type { ShellSettings } from '@crewagent/protocol/shell';
import type { ApprovalPreset } from '@crewagent/protocol/tools';
import { VERSION } from '@crewagent/protocol/version';
import type { WorkRecord } from '@crewagent/protocol/work';
import { createUuidV7 } from './base/uuid-v7.ts';
import type { ValidationContext } from './bmad/validate-package.ts';
import type { Attendance } from './engine/engine-sources.ts';
import type { LLMAdapter } from './llm/llm-adapter.ts';
import type { PendingLogins } from './mcp/login/manage-logins.ts';
import type { McpServers } from './mcp/mcp-servers.ts';
import type { AssemblyOptions } from './session/assemble-engine.ts';
import { type OpenChanges, openChanges } from './session/changes/open-changes.ts';
import type {
  ConversationFilter,
  ConversationRequest,
  ReopenConversation,
} from './session/conversation/conversations.ts';
import {
  chooseModel,
  type Environment,
  findApiKeys,
  type ModelChoice,
  type ModelKeys,
} from './session/models/choose-model.ts';
import { createAdapter } from './session/models/model-adapter.ts';
import { openRoutes, withProjectModel } from './session/models/model-routes.ts';
import { createKeyReader } from './session/models/stored-keys.ts';
import { type OpenRun, openRun } from './session/open-run.ts';
import type { Session } from './session/session.ts';
import type { PeekTools } from './session/show-context.ts';
import { type RunRequest, startRun } from './session/start-run.ts';
import { createKnownServers } from './store/disk/known-servers.ts';
import { openDiskStore } from './store/disk/open-store.ts';
import { secureStoreRoot } from './store/disk/secure-store-root.ts';
import { archiveConversation, renameConversation } from './store/edit-conversation.ts';
import { findRoot, listRuns, resolveRun } from './store/find-works.ts';
import { sweepInterrupted } from './store/interrupted-works.ts';
import type { SecretStore } from './store/secret-store.ts';
import { setApproval } from './store/set-approval.ts';
import type { Store } from './store/store.ts';
import { type ConversationAddress, toAddress, type WorkAddress } from './store/work-address.ts';
import type { ListedConversation } from './store/work-store.ts';

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

export type StartRequest = Omit<RunRequest, 'model'> & {
  readonly model?: ModelChoice | undefined;
  /** File that requests and replies are recorded to, for a replay. */
  readonly recordTo?: string | undefined;
};

export interface Runtime {
  readonly store: Store;
  readonly secrets: SecretStore;
  /** Creates and opens a run; `engine.start()` starts it. */
  createRun(request: StartRequest): Promise<OpenRun>;
  /** Opens an existing run; for a called run, the root of its calls. `options.model` replaces its model. */
  openRun(ref: string, options?: ReopenOptions): Promise<OpenRun>;
  listRuns(): ReturnType<typeof listRuns>;
  /** Creates and opens a conversation. */
  createConversation(request: ConversationRequest & Recording): Promise<Session>;
  openConversation(ref: string, options?: ReopenConversation & Recording): Promise<Session>;
  listConversations(filter?: ConversationFilter): Promise<ListedConversation[]>;
  /** Undo and redo of file changes of the Work itself. */
  openChanges(address: WorkAddress): Promise<OpenChanges>;
  /** Undo and redo of file changes of the Work and the runs that it called; `withRuns` adds the runs of a conversation. */
  openTreeChanges(address: WorkAddress, withRuns?: boolean): Promise<OpenChanges>;
  /** File changes of the runs that a run called; `findOpen` returns the changes of a run that is open. */
  listCalledChanges(
    address: WorkAddress,
    findOpen: (workId: string) => readonly JournalEntry[] | undefined,
  ): Promise<JournalEntry[]>;
  renameConversation(address: ConversationAddress, title: string): Promise<ConversationRecord>;
  archiveConversation(address: ConversationAddress, isArchived: boolean): Promise<ConversationRecord>;
  /** Sets the approval preset of a Work that no process has open. */
  setApproval(address: WorkAddress, approval: ApprovalPreset): Promise<void>;
  /** Deletes the Work with its runs and all other stored data; files of the project stay. */
  deleteWork(address: WorkAddress): Promise<void>;
  /** Marks Works whose process has ended as interrupted, and returns them. */
  sweepInterrupted(): Promise<readonly WorkRecord[]>;
  settings(): Promise<Settings>;
  /** MCP servers of the settings and of the project, with the state of those that run. */
  listServers(projectId?: string): Promise<ServerList>;
  /** Tools of MCP servers that run for the project in this process. Starts and loads nothing. */
  peekTools: PeekTools;
  /** Sign-ins to MCP servers that the page started. Loaded with the first one. */
  pendingLogins(): Promise<PendingLogins>;
  /** Loads the code for built-in models. */
  builtinModels(): Promise<BuiltinModels>;
  /** Stops the MCP servers of this process. */
  close(): Promise<void>;
}

type BuiltinModels = typeof import('./session/models/builtin-models.ts');

interface Recording {
  readonly recordTo?: string | undefined;
}

export interface ReopenOptions extends Recording {
  readonly model?: ModelChoice | undefined;
}

export function createRuntime(options: RuntimeOptions): Runtime {
  const { env = {}, now = () => new Date(), onBug = () => undefined, onWarning = () => undefined } = options;
  secureStoreRoot(options.storeRoot);
  const store = openDiskStore(options.storeRoot, onWarning);
  const { secrets = store.secrets } = options;
  const newId = createUuidV7(now);
  const context: ValidationContext = {
    runtimeVersion: VERSION,
    knownServers: createKnownServers(store.root),
  };

  const adapterFor = createAdapterSource({ store, env, secrets, now, warn: onWarning });

  const tools = createToolOpeners(store, options.mcpIdleMs);
  const { openMcp, openShell } = tools;
  const { attendance } = options;
  const opening = { store, context, now, openMcp, openShell, attendance, onBug };
  const sessionOptions = (recordTo: string | undefined, isContinued: boolean) => ({
    ...opening,
    newId,
    settings: () => store.settings.load(),
    chooseModel: async (choice: ModelChoice) => chooseModel(choice, await store.settings.load(), env),
    createAdapter: (model: RunModel) => adapterFor(model, recordTo, isContinued),
  });
  /** Loaded on demand: most runs belong to no conversation. */
  const conversations = () => import('./session/conversation/conversations.ts');

  return {
    store,
    secrets,
    async createRun({ model = {}, recordTo, ...request }) {
      const settings = await store.settings.load();
      const named = await withProjectModel(model, request.projectPath, { store, settings, env });
      const chosen = chooseModel(named, settings, env);
      // The model comes first, so that a missing key or recording leaves no run behind.
      const adapter = await adapterFor(chosen, recordTo);
      try {
        const { record, loaded } = await startRun(
          { ...request, model: chosen },
          { store, settings, context, now, newId },
        );
        return await openRun(toAddress(record), {
          ...opening,
          loaded,
          createAdapter: () => Promise.resolve(adapter),
        });
      } catch (error) {
        adapter.close();
        throw error;
      }
    },
    async openRun(ref, reopen = {}) {
      const { model: choice = {}, recordTo } = reopen;
      const isNamed = Object.values(choice).some((value) => value !== undefined);
      const model = isNamed ? chooseModel(choice, await store.settings.load(), env) : undefined;
      return openRun(await findRoot(store, await resolveRun(store, ref)), {
        ...opening,
        model,
        createAdapter: (used) => adapterFor(used, recordTo, true),
      });
    },
    listRuns: () => listRuns(store),
    async createConversation({ recordTo, ...request }) {
      const settings = await store.settings.load();
      const { projectPath } = request;
      const model = await withProjectModel(request.model ?? {}, projectPath, { store, settings, env });
      return (await conversations()).startConversation(
        { ...request, model },
        sessionOptions(recordTo, false),
      );
    },
    async openConversation(ref, { recordTo, ...reopen } = {}) {
      return (await conversations()).reopenConversation(ref, reopen, sessionOptions(recordTo, true));
    },
    async listConversations(filter = {}) {
      return (await conversations()).listProjectConversations(filter, store);
    },
    openChanges: (address) => openChanges(address, { store, now }),
    async listCalledChanges(address, findOpen) {
      const { listCalledChanges } = await import('./session/changes/open-tree-changes.ts');
      return listCalledChanges(address, { store, now }, findOpen);
    },
    async openTreeChanges(address, withRuns = false) {
      const { openTreeChanges } = await import('./session/changes/open-tree-changes.ts');
      return openTreeChanges(address, { store, now, withRuns });
    },
    renameConversation: (address, title) => renameConversation(store.works, address, title),
    archiveConversation: (address, isArchived) => archiveConversation(store.works, address, isArchived, now),
    setApproval: (address, approval) => setApproval(store.works, address, approval),
    deleteWork: (address) => store.works.remove(address),
    sweepInterrupted: () => sweepInterrupted(store.works, { now, onProblem: onBug }),
    settings: () => store.settings.load(),
    listServers: (projectId) => tools.listServers(projectId),
    pendingLogins: () => tools.pendingLogins(),
    peekTools: (project) => tools.peekTools(project),
    builtinModels: () => import('./session/models/builtin-models.ts'),
    close: () => tools.close(),
  };
}

type ToolOpeners = Required<Pick<AssemblyOptions, 'openMcp' | 'openShell'>> &
  Pick<Runtime, 'listServers' | 'pendingLogins' | 'peekTools' | 'close'>;

/** Tools other than the built-in ones. Their code is loaded only if a server is set up or commands are allowed. */
function createToolOpeners(store: Store, idleMs: number | undefined): ToolOpeners {
  let servers: Promise<McpServers> | undefined;
  const loadServers = (): Promise<McpServers> =>
    (servers ??= import('./mcp/mcp-servers.ts').then(({ createMcpServers }) =>
      createMcpServers({ store, idleMs }),
    ));
  let logins: Promise<PendingLogins> | undefined;
  return {
    openMcp: async (project, parts) =>
      hasServers(await store.settings.load(), project)
        ? (await loadServers()).open(project, parts)
        : undefined,
    async openShell(project, parts) {
      if (!project.shell?.enabled) return undefined;
      const { createShellTools } = await import('./shell/shell-tools.ts');
      const readSettings = async (): Promise<ShellSettings> =>
        (await store.projects.read(project.projectId)).shell ?? NO_SHELL;
      return createShellTools({ ...parts, project: project.path, readSettings });
    },
    async listServers(projectId) {
      const project = projectId === undefined ? undefined : await store.projects.read(projectId);
      const [running, pending] = await Promise.all([servers, logins]);
      const { listServers } = await import('./mcp/list-servers.ts');
      return listServers(store, project, {
        connection: (server) => running?.find(projectId, server),
        login: ({ loginKey }) => pending?.find(loginKey),
      });
    },
    peekTools: async (project) => (await servers)?.peek(project),
    pendingLogins: () =>
      (logins ??= import('./mcp/login/manage-logins.ts').then(({ createPendingLogins }) =>
        createPendingLogins(store),
      )),
    async close() {
      await (await logins)?.close();
      await (await servers)?.close();
    },
  };
}

interface AdapterParts {
  readonly store: Store;
  readonly env: Environment;
  readonly secrets: SecretStore;
  readonly now: () => Date;
  readonly warn: (message: string) => void;
}

/** Opens the model of a run or a conversation, and the models that its agents and nodes select. */
function createAdapterSource({ store, env, secrets, now, warn }: AdapterParts) {
  const learned = store.learnedRules(now);
  const readStored = createKeyReader({ store, secrets });
  const keysOf = async (model: RunModel): Promise<ModelKeys | undefined> =>
    model.kind === 'provider' ? findApiKeys(model, env, readStored) : undefined;
  return async (model: RunModel, recordTo?: string, isContinued = false): Promise<LLMAdapter> => {
    const { localModels } = store;
    const open = async (used: RunModel): Promise<LLMAdapter> =>
      createAdapter(used, { keys: await keysOf(used), localModels, learned, now, warn });
    const main = await createAdapter(model, {
      keys: await keysOf(model),
      recordTo,
      isContinued,
      localModels,
      learned,
      now,
      warn,
    });
    // A rehearsal, a replay and a recording use one model only.
    if (model.kind !== 'provider' || recordTo !== undefined) return main;
    const settings = await store.settings.load();
    try {
      return await openRoutes(main, settings, (name) => open(chooseModel({ model: name }, settings, {})));
    } catch (error) {
      main.close();
      throw error;
    }
  };
}

const NO_SHELL: ShellSettings = {
  enabled: false,
  network: false,
  hosts: [],
  folders: [],
  git: false,
  allow: [],
};

function hasServers({ tools, mcp }: Settings, project: Project): boolean {
  const isAnyOn = Object.values(mcp.servers).some(({ enabled }) => enabled);
  return tools.mcp.enabled && (isAnyOn || (project.servers ?? []).length > 0);
}
