/**
 * Creates Works and opens them, with their models. The only module of a runtime that loads the engine; commands that open no Work
 * do without it.
 */
import type { RunModel } from '@crewagent/protocol/model';
import type { Settings } from '@crewagent/protocol/settings';
import { createUuidV7 } from '../base/uuid-v7.ts';
import type { KeyGate } from '../llm/provider/key-gate.ts';
import { findRoot, resolveRun } from '../store/find-works.ts';
import type { SecretStore } from '../store/secret-store.ts';
import { toAddress, type WorkAddress } from '../store/work-address.ts';
import type { ConversationRequest, ReopenConversation } from './conversation/conversations.ts';
import { chooseModel, type Environment, isModelNamed, type ModelChoice } from './models/choose-model.ts';
import { createAdapterSource, withProjectModel } from './models/model-routes.ts';
import { type OpenRun, openRun } from './open-run.ts';
import type { Session } from './session.ts';
import { type RunRequest, startRun } from './start-run.ts';

export interface Recording {
  /** File that requests and replies are recorded to, for a replay. */
  readonly recordTo?: string | undefined;
}

export type StartRequest = Omit<RunRequest, 'model'> &
  Recording & { readonly model?: ModelChoice | undefined };

export interface ReopenOptions extends Recording {
  readonly model?: ModelChoice | undefined;
}

interface OpenerParts extends Omit<Parameters<typeof openRun>[1], 'createAdapter'> {
  readonly env: Environment;
  readonly secrets: SecretStore;
  readonly keyGate?: KeyGate | undefined;
  readonly warn: (message: string) => void;
}

export type WorkOpeners = ReturnType<typeof createWorkOpeners>;

export function createWorkOpeners({ env, secrets, keyGate, warn, ...opening }: OpenerParts) {
  const { store, now, context } = opening;
  const adapterFor = createAdapterSource({ store, env, secrets, keyGate, now, warn });
  const newId = createUuidV7(now);
  const sessionOptions = (recordTo: string | undefined, isContinued: boolean) => ({
    ...opening,
    newId,
    settings: () => store.settings.load(),
    chooseModel: async (choice: ModelChoice) => chooseModel(choice, await store.settings.load(), env),
    createAdapter: (model: RunModel) => adapterFor(model, recordTo, isContinued),
  });
  /** Loaded on demand: most runs belong to no conversation. */
  const conversations = () => import('./conversation/conversations.ts');

  /** Both kinds: with the model of the project, unless the request names one. */
  const withModel = async <Request extends StartRequest | (ConversationRequest & Recording)>(
    request: Request,
    settings: Settings,
  ): Promise<Request & { readonly model: ModelChoice }> => {
    const choice = { store, settings, env };
    return { ...request, model: await withProjectModel(request.model ?? {}, request.projectPath, choice) };
  };
  /** The model comes first, so that a missing key or recording leaves no run behind. */
  const createRun = async ({ recordTo, model: choice, ...request }: StartRequest, settings: Settings) => {
    const model = chooseModel(choice ?? {}, settings, env);
    const adapter = await adapterFor(model, recordTo);
    try {
      return {
        adapter,
        ...(await startRun({ ...request, model }, { store, settings, context, now, newId })),
      };
    } catch (error) {
      adapter.close();
      throw error;
    }
  };

  /** Creates and opens a conversation, or a run that `engine.start()` starts. */
  function createWork(request: StartRequest): Promise<OpenRun>;
  function createWork(request: ConversationRequest & Recording): Promise<Session>;
  async function createWork(
    asked: StartRequest | (ConversationRequest & Recording),
  ): Promise<OpenRun | Session> {
    const settings = await store.settings.load();
    const request = await withModel(asked, settings);
    if ('kind' in request)
      return (await conversations()).startConversation(request, sessionOptions(request.recordTo, false));
    const { record, loaded, adapter } = await createRun(request, settings);
    try {
      const createAdapter = () => Promise.resolve(adapter);
      return await openRun(toAddress(record), { ...opening, loaded, createAdapter });
    } catch (error) {
      adapter.close();
      throw error;
    }
  }

  return {
    createWork,
    /** Creates a Work for another process to open. */
    async registerWork(asked: StartRequest | ConversationRequest): Promise<WorkAddress> {
      const settings = await store.settings.load();
      const request = await withModel(asked, settings);
      if ('kind' in request) {
        const { createConversation } = await conversations();
        const { address, adapter } = await createConversation(request, sessionOptions(undefined, false));
        adapter.close();
        return address;
      }
      const { record, adapter } = await createRun(request, settings);
      adapter.close();
      return toAddress(record);
    },
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
  };
}
