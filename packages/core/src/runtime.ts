/**
 * The runtime, put together once: what the command line, the server and scripts work with. It passes small objects down
 * and hands nobody the whole of itself.
 */
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import type { RunEvent } from '@crewagent/protocol/events';
import type { RunModel } from '@crewagent/protocol/model';
import type { RunRecord } from '@crewagent/protocol/run';
import { addToRunView, createRunView, type RunView } from '@crewagent/protocol/run-view';
import type { Settings } from '@crewagent/protocol/settings';
import { VERSION } from '@crewagent/protocol/version';
import { createUuidV7 } from './base/uuid-v7.ts';
import type { ValidationContext } from './bmad/validate-package.ts';
import { chooseModel, type Environment, findApiKey, type ModelChoice } from './session/choose-model.ts';
import type {
  ConversationFilter,
  ConversationReport,
  ConversationRequest,
  ReopenConversation,
} from './session/conversations.ts';
import { createAdapter } from './session/model-adapter.ts';
import { type OpenChanges, openChanges, type TalkChanges } from './session/open-changes.ts';
import { type OpenRun, openRun } from './session/open-run.ts';
import type { Session } from './session/session.ts';
import { type RunRequest, startRun } from './session/start-run.ts';
import type { ListedConversation } from './store/find-conversations.ts';
import { listRuns, resolveRun } from './store/find-runs.ts';
import { sweepInterrupted, sweepInterruptedConversations } from './store/interrupted-runs.ts';
import { createStoreLayout, type StoreLayout } from './store/layout.ts';
import { isRunLocked } from './store/run-lock.ts';
import { type LogReading, readRunLog } from './store/run-log.ts';
import { deleteRun, readRunRecord } from './store/run-store.ts';
import { readSecret } from './store/secrets-store.ts';
import { secureStoreRoot } from './store/secure-store-root.ts';
import { loadSettings } from './store/settings-store.ts';
import { requestStop } from './store/stop-request.ts';

export interface RuntimeOptions {
  readonly storeRoot: string;
  /** Where keys and model names may come from; nothing else is read from it. */
  readonly env?: Environment;
  readonly now?: () => Date;
  /** Told of faults of ours, with the id people see. */
  readonly onBug?: (id: string, error: unknown) => void;
  /** Told what a person should know and no run can tell: a recording that stopped. */
  readonly onWarning?: (message: string) => void;
}

export type StartRequest = Omit<RunRequest, 'model'> & {
  readonly model?: ModelChoice | undefined;
  /** Writes what the model is asked and answers into a file that can be replayed. */
  readonly recordTo?: string | undefined;
};

export interface Runtime {
  readonly store: StoreLayout;
  /** Makes a run and opens it; `engine.start()` sets it going. */
  createRun(request: StartRequest): Promise<OpenRun>;
  /** Opens a run that is there; a model named here drives it from now on. */
  openRun(ref: string, options?: ReopenOptions): Promise<OpenRun>;
  /** What a run changed in its project, to be undone or redone. */
  openChanges(ref: string): Promise<OpenChanges>;
  listRuns(): ReturnType<typeof listRuns>;
  /** What is known of a run, without disturbing it. */
  showRun(ref: string): Promise<RunReport>;
  /** Tells every event of a run's log in order. */
  readLog(ref: string, onEvent: (event: RunEvent) => void): Promise<LogReading>;
  /** Asks whichever process works on the run to stop; false when nobody does. */
  stopRun(ref: string): Promise<boolean>;
  deleteRun(ref: string): Promise<void>;
  /** Marks runs that died with their process. Returns them. */
  sweepInterrupted(): Promise<readonly RunRecord[]>;
  settings(): Promise<Settings>;
  /** Makes a conversation and opens it. */
  createConversation(request: ConversationRequest & Recording): Promise<Session>;
  openConversation(ref: string, options?: ReopenConversation & Recording): Promise<Session>;
  listConversations(filter?: ConversationFilter): Promise<ListedConversation[]>;
  /** What is known of a conversation, without disturbing it. */
  showConversation(ref: string): Promise<ConversationReport>;
  /** Tells every event of a conversation's own log in order; its runs have theirs. */
  readConversationLog(ref: string, onEvent: (event: RunEvent) => void): Promise<LogReading>;
  /** What the talk of a conversation changed in its project; its runs have theirs. */
  openTalkChanges(ref: string): Promise<TalkChanges>;
  /** Asks whichever process works on the conversation to stop; false when nobody does. */
  stopConversation(ref: string): Promise<boolean>;
  renameConversation(ref: string, title: string): Promise<ConversationRecord>;
  archiveConversation(ref: string, isArchived: boolean): Promise<ConversationRecord>;
  /** With its runs and everything else that belongs to it; files of the project stay. */
  deleteConversation(ref: string): Promise<void>;
}

interface Recording {
  readonly recordTo?: string | undefined;
}

export interface ReopenOptions extends Recording {
  readonly model?: ModelChoice | undefined;
}

export interface RunReport {
  readonly record: RunRecord;
  readonly view: RunView;
  readonly log: LogReading;
  /** A process is at work on it. */
  readonly isOpen: boolean;
}

export function createRuntime(options: RuntimeOptions): Runtime {
  const { env = {}, now = () => new Date(), onBug = () => undefined, onWarning = () => undefined } = options;
  secureStoreRoot(options.storeRoot);
  const store = createStoreLayout(options.storeRoot);
  const newId = createUuidV7(now);
  const context: ValidationContext = { runtimeVersion: VERSION, knownServers: new Set() };

  const adapterFor = async (model: RunModel, recordTo?: string, isContinued = false) => {
    const apiKey =
      model.kind === 'provider'
        ? await findApiKey(model, env, (profile, address) => readSecret(store, profile, address))
        : undefined;
    return createAdapter(model, { apiKey, recordTo, isContinued, now, warn: onWarning });
  };

  const opening = { store, context, now, onBug };
  const talking = (recordTo: string | undefined, isContinued: boolean) => ({
    ...opening,
    newId,
    settings: () => loadSettings(store),
    chooseModel: async (choice: ModelChoice) => chooseModel(choice, await loadSettings(store), env),
    createAdapter: (model: RunModel) => adapterFor(model, recordTo, isContinued),
  });
  /** Most runs have no talk around them. */
  const conversations = () => import('./session/conversations.ts');

  return {
    store,
    async createRun({ model = {}, recordTo, ...request }) {
      const settings = await loadSettings(store);
      const chosen = chooseModel(model, settings, env);
      // First the model: a key or a recording that is missing leaves no run behind.
      const adapter = await adapterFor(chosen, recordTo);
      try {
        const { record, loaded } = await startRun(
          { ...request, model: chosen },
          { store, settings, context, now, newId },
        );
        return await openRun(record, { ...opening, loaded, createAdapter: () => Promise.resolve(adapter) });
      } catch (error) {
        adapter.close();
        throw error;
      }
    },
    async openRun(ref, reopen = {}) {
      const { model: choice = {}, recordTo } = reopen;
      const isNamed = Object.values(choice).some((value) => value !== undefined);
      const model = isNamed ? chooseModel(choice, await loadSettings(store), env) : undefined;
      return openRun(await resolveRun(store, ref), {
        ...opening,
        model,
        createAdapter: (used) => adapterFor(used, recordTo, true),
      });
    },
    async openChanges(ref) {
      return openChanges(await resolveRun(store, ref), { store, now });
    },
    listRuns: () => listRuns(store),
    async showRun(ref) {
      const address = await resolveRun(store, ref);
      const record = await readRunRecord(store, address);
      const view = createRunView(record.runId);
      const paths = store.run(address);
      const log = await readRunLog(paths.log, (event) => addToRunView(view, event));
      return { record, view, log, isOpen: await isRunLocked(paths.lock) };
    },
    async readLog(ref, onEvent) {
      return readRunLog(store.run(await resolveRun(store, ref)).log, onEvent);
    },
    async stopRun(ref) {
      const paths = store.run(await resolveRun(store, ref));
      if (!(await isRunLocked(paths.lock))) return false;
      await requestStop(paths.stop);
      return true;
    },
    async deleteRun(ref) {
      return deleteRun(store, await resolveRun(store, ref));
    },
    async sweepInterrupted() {
      await sweepInterruptedConversations(store, { now, onProblem: onBug });
      return sweepInterrupted(store, { now, onProblem: onBug });
    },
    settings: () => loadSettings(store),
    async createConversation({ recordTo, ...request }) {
      return (await conversations()).startConversation(request, talking(recordTo, false));
    },
    async openConversation(ref, { recordTo, ...reopen } = {}) {
      return (await conversations()).reopenConversation(ref, reopen, talking(recordTo, true));
    },
    async listConversations(filter = {}) {
      return (await conversations()).listProjectConversations(filter, store);
    },
    async showConversation(ref) {
      return (await conversations()).showConversation(ref, store);
    },
    async readConversationLog(ref, onEvent) {
      return (await conversations()).readConversationLog(ref, onEvent, store);
    },
    async openTalkChanges(ref) {
      return (await conversations()).openChangesByRef(ref, { store, now });
    },
    async stopConversation(ref) {
      return (await conversations()).stopByRef(ref, store);
    },
    async renameConversation(ref, title) {
      return (await conversations()).renameByRef(ref, title, store);
    },
    async archiveConversation(ref, isArchived) {
      return (await conversations()).archiveByRef(ref, isArchived, { store, now });
    },
    async deleteConversation(ref) {
      return (await conversations()).deleteByRef(ref, store);
    },
  };
}
