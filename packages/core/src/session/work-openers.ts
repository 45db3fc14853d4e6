/**
 * Creates Works and opens them, with their models. The only module of a runtime that loads the engine; commands that open no Work
 * do without it.
 */
import type { RunModel } from '@crewagent/protocol/model';
import type { Settings } from '@crewagent/protocol/settings';
import { CrewError } from '../base/crew-error.ts';
import { withoutUndefined } from '../base/optional-fields.ts';
import { createUuidV7 } from '../base/uuid-v7.ts';
import type { KeyGate } from '../llm/provider/key-gate.ts';
import { restrictApproval, restrictLimits, restrictSettings } from '../policy/restrict.ts';
import { findRoot, resolveRun } from '../store/find-works.ts';
import type { SecretStore } from '../store/secret-store.ts';
import { type RunAddress, toAddress, type WorkAddress } from '../store/work-address.ts';
import type { FollowedWork } from '../telemetry/follow-work.ts';
import { isTelemetryOn } from '../telemetry/is-telemetry-on.ts';
import type { openTelemetry } from '../telemetry/open-telemetry.ts';
import type { ConversationRequest, ReopenConversation } from './conversation/conversations.ts';
import type { HostedRun } from './hosted/host-run.ts';
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

/** A new run, or `ref` of an existing one. `host`: as the other agent calls itself. */
export type HostRequest = { readonly host: string } & (
  | { readonly ref: string }
  | Pick<RunRequest, 'package' | 'projectPath' | 'workflow' | 'given'>
);

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

export function createWorkOpeners({ env, secrets, keyGate, warn, ...parts }: OpenerParts) {
  const opening = { ...parts, followWork: isTelemetryOn(env) ? createFollower(env, warn) : undefined };
  const { store, now, context } = opening;
  const adapterFor = createAdapterSource({ store, env, secrets, keyGate, now, warn });
  const newId = createUuidV7(now);
  const loadSettings = async (): Promise<Settings> =>
    restrictSettings(await store.policy.read(), await store.settings.load());
  const sessionOptions = (recordTo: string | undefined, isContinued: boolean) => ({
    ...opening,
    newId,
    settings: loadSettings,
    chooseModel: async (choice: ModelChoice) => chooseModel(choice, await store.settings.load(), env),
    createAdapter: (model: RunModel) => adapterFor(model, recordTo, isContinued),
  });
  /** Loaded on demand: most runs belong to no conversation. */
  const conversations = () => import('./conversation/conversations.ts');
  const { withModel, replaceHost } = createModelChoices({ store, env });
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
    const settings = await loadSettings();
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
      const settings = await loadSettings();
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
    /**
     * Opens an existing run; for a called run, the root of its calls. `model` replaces its model; the calls of a host are made by the
     * model of the project from here on.
     */
    async openRun(ref: string, { model: choice = {}, recordTo }: ReopenOptions = {}): Promise<OpenRun> {
      const address = await findRoot(store, await resolveRun(store, ref));
      const model = isModelNamed(choice)
        ? chooseModel(choice, await store.settings.load(), env)
        : await replaceHost(address);
      const createAdapter = (used: RunModel) => adapterFor(used, recordTo, true);
      return openRun(address, { ...opening, model, createAdapter });
    },
    /** Creates or opens a run whose calls another agent makes, the host. */
    async hostRun({ host, ...request }: HostRequest): Promise<HostedRun> {
      const { hostRun } = await import('./hosted/host-run.ts');
      return hostRun(host, async (model, adapter) => {
        const createAdapter = () => Promise.resolve(adapter);
        if ('ref' in request) {
          const address = await findRoot(store, await resolveRun(store, request.ref));
          return openRun(address, { ...opening, model, createAdapter });
        }
        const settings = await loadSettings();
        const restricted = await withModel(request, settings);
        const started = await startRun({ ...restricted, model }, { store, settings, context, now, newId });
        return openRun(toAddress(started.record), { ...opening, loaded: started.loaded, createAdapter });
      });
    },
    async openConversation(ref: string, { recordTo, ...reopen }: ReopenConversation & Recording = {}) {
      return (await conversations()).reopenConversation(ref, reopen, sessionOptions(recordTo, true));
    },
  };
}

/** Which model a request gets, and what the policies leave of the rest of it. */
function createModelChoices({ store, env }: Pick<OpenerParts, 'store' | 'env'>) {
  /** Both kinds: with the model of the project, unless the request names one, and with what the policies leave of the rest. */
  const withModel = async <Request extends StartRequest | (ConversationRequest & Recording)>(
    request: Request,
    settings: Settings,
  ): Promise<Request & { readonly model: ModelChoice }> => {
    const choice = { store, settings, env };
    const policies = await store.policy.read();
    const { approval, usualApproval = 'autopilot', limits } = request;
    const restricted: Pick<StartRequest, 'approval' | 'usualApproval' | 'limits'> = {
      approval: approval && restrictApproval(policies, approval),
      usualApproval: restrictApproval(policies, usualApproval),
      limits: restrictLimits(policies, { ...settings.limits, ...withoutUndefined(limits ?? {}) }),
    };
    const model = await withProjectModel(request.model ?? {}, request.projectPath, choice);
    return Object.assign({}, request, restricted, { model });
  };
  /** The model for a run of a host that is continued here. Without one, placeholders would be written into real work. */
  const replaceHost = async (address: RunAddress): Promise<RunModel | undefined> => {
    const { model: used, projectId } = await store.works.read(address);
    if (used.kind !== 'host') return undefined;
    const settings = await store.settings.load();
    const { path } = await store.projects.read(projectId);
    const model = chooseModel(await withProjectModel({}, path, { store, settings, env }), settings, env);
    if (model.kind !== 'rehearsal') return model;
    throw new CrewError(
      'USAGE',
      `The calls of this run were made by ${used.name}, and no model is set up here. Continue it there, or name a model with --model.`,
    );
  };
  return { withModel, replaceHost };
}

function createFollower(env: Environment, warn: (message: string) => void) {
  let opened: Promise<ReturnType<typeof openTelemetry>> | undefined;
  return async (work: FollowedWork) => {
    opened ??= import('../telemetry/open-telemetry.ts').then((code) => code.openTelemetry(env, warn));
    return (await opened).follow(work);
  };
}
