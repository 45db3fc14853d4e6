/**
 * Settings and models. API keys are write-only.
 */
import {
  CrewError,
  chooseKey,
  findLocalServers,
  inputsOf,
  listInstalled,
  listProviderModels,
  listStoredKeys,
  loadInputs,
  loadInstalled,
  overridesOf,
  readLedger,
  removeStoredKey,
  resolveWorkflow,
  restrictSettings,
  type SettingsChange,
  showPolicies,
  storeKey,
  testDraft,
  testModel,
  uniqueInputs,
} from '@crewagent/core';
import { ENDPOINTS } from '@crewagent/protocol/api/endpoints';
import type { ShownInput, ShownModel } from '@crewagent/protocol/api/settings';
import { DEFAULT_KEY, type ModelSettings } from '@crewagent/protocol/model';
import { type Settings, settingsSchema } from '@crewagent/protocol/settings';
import type { TypedInput } from '@crewagent/protocol/typed-inputs';
import { mount, type Router } from '../mount.ts';
import type { ServerParts } from '../server-parts.ts';
import { mountBuiltinModels } from './builtin-models.ts';

export function mountSettings(router: Router, parts: ServerParts): void {
  const { settings } = ENDPOINTS;
  const { store } = parts.runtime;
  mount(router, settings.show, () => showSettings(parts));
  mount(router, settings.update, async ({ body }) => {
    // Validated as a whole before anything is written.
    await store.settings.update(body as SettingsChange);
    return showSettings(parts);
  });
  mount(router, settings.inputs, ({ query }) => listInputs(query, parts));
  mountModels(router, parts);
  mountOfferedModels(router, parts);
  mountBuiltinModels(router, parts);
}

interface InputsQuery {
  readonly packageHash?: string | undefined;
  readonly workflow?: string | undefined;
  readonly projectId?: string | undefined;
}

async function listInputs(
  { packageHash, workflow, projectId }: InputsQuery,
  { runtime: { store }, context }: ServerParts,
): Promise<{ inputs: ShownInput[] }> {
  const deps = { store, now: () => new Date() };
  const declared: { readonly pkg: string; readonly inputs: readonly TypedInput[] }[] = [];
  for (const { hash, name } of await listInstalled(store)) {
    if (packageHash !== undefined && hash !== packageHash) continue;
    try {
      const loaded = await loadInstalled(hash, store, context);
      const workflows = packageHash === undefined ? loaded.workflows : [resolveWorkflow(loaded, workflow)];
      declared.push({ pkg: name, inputs: workflows.flatMap((one) => inputsOf(one, loaded)) });
    } catch (error) {
      // A damaged package is reported where packages are listed.
      if (packageHash !== undefined || !(error instanceof CrewError)) throw error;
    }
  }
  const unique = uniqueInputs(declared.flatMap(({ inputs }) => inputs));
  const asks = (name: string): string[] => [
    ...new Set(
      declared.filter(({ inputs }) => inputs.some((input) => input.name === name)).map(({ pkg }) => pkg),
    ),
  ];
  const resolved = await loadInputs(unique, projectId, deps);
  return {
    inputs: resolved.map(({ input, value, source }) => ({
      ...input,
      value,
      source,
      packages: asks(input.name),
    })),
  };
}

function mountOfferedModels(router: Router, { runtime: { store, secrets }, env }: ServerParts): void {
  const { models } = ENDPOINTS;
  mount(router, models.listProviderModels, ({ body, signal }) =>
    listProviderModels(body, { store, env, secrets, signal }),
  );
  mount(router, models.report, async ({ query: { package: name, since } }) => ({
    rows: await readLedger(store, {
      package: name,
      since: since === undefined ? undefined : new Date(since),
    }),
  }));
  mount(router, models.findLocalModels, async ({ signal }) => ({
    servers: await findLocalServers({ signal, env }),
  }));
}

async function showSettings({ env, runtime: { store } }: ServerParts) {
  const { settings, decided } = await store.settings.loadOrigin();
  const policies = await showPolicies(store.policy);
  const isUsable = policies.every(({ problem }) => problem === undefined);
  const { CREWAGENT_MODEL: model, CREWAGENT_BASE_URL: baseUrl } = env;
  return {
    settings: isUsable ? restrictSettings(await store.policy.read(), settings) : settings,
    decided,
    policies: policies.length === 0 ? undefined : [...policies],
    defaults: settingsSchema.parse({}),
    environment: {
      model: model || undefined,
      baseUrl: baseUrl || undefined,
      hasKey: Boolean(env.CREWAGENT_API_KEY || env.OPENAI_API_KEY),
    },
  };
}

function mountModels(router: Router, { runtime: { store, secrets }, openWorks, env }: ServerParts): void {
  const { models } = ENDPOINTS;
  const toShownModel = async (
    name: string,
    model: ModelSettings,
    settings: Settings,
  ): Promise<ShownModel> => {
    const { names, used, useNext } = await listStoredKeys({ name, model }, settings, secrets);
    const shown = { name, settings: model, hasKey: used !== undefined };
    const isOnlyDefault = names.length === 1 && used === DEFAULT_KEY;
    return {
      ...shown,
      keys: used === undefined || isOnlyDefault ? undefined : { names: [...names], used, useNext },
      isDefault: name === settings.defaultModel,
      overrides: overridesOf(shown, env),
    };
  };
  const requireModel = async (name: string): Promise<{ model: ModelSettings; settings: Settings }> => {
    const settings = await store.settings.load();
    const model = Object.hasOwn(settings.models, name) ? settings.models[name] : undefined;
    if (!model) throw new CrewError('NOT_FOUND', `The settings have no model "${name}".`);
    return { model, settings };
  };
  const stores = { store, secrets };
  /** An open Work has read its keys; after it is closed, its next turn opens it with the new ones. */
  const forgetKeys = (name: string): Promise<void> =>
    openWorks.closeIdle((work) => work.model.kind === 'provider' && work.model.profile === name);
  const showModel = async (name: string): Promise<ShownModel> => {
    const { model, settings } = await requireModel(name);
    return toShownModel(name, model, settings);
  };

  mount(router, models.list, async () => {
    const settings = await store.settings.load();
    const entries = Object.entries(settings.models);
    return { models: await Promise.all(entries.map(([name, model]) => toShownModel(name, model, settings))) };
  });
  mount(router, models.put, async ({ params: { name }, body }) => {
    if (name === 'rehearsal')
      throw new CrewError('USAGE', '"rehearsal" is the name of the built-in model. Choose another name.');
    const { models: known, defaultModel } = await store.settings.load();
    const emptied = Object.fromEntries(Object.keys(known[name] ?? {}).map((key) => [key, null]));
    const isDefault = body.isDefault ?? defaultModel === undefined;
    await store.settings.update({
      models: { [name]: { ...emptied, ...body.settings } },
      ...(isDefault ? { defaultModel: name } : {}),
    });
    return showModel(name);
  });
  mount(router, models.remove, async ({ params: { name } }) => {
    const { settings } = await requireModel(name);
    await store.settings.update({
      models: { [name]: null },
      ...(settings.defaultModel === name ? { defaultModel: null } : {}),
    });
    await removeStoredKey(name, undefined, stores);
  });
  mount(router, models.setKey, async ({ params: { name }, body: { key, keyName } }) => {
    const { model } = await requireModel(name);
    await storeKey({ name, model }, { key, name: keyName }, stores);
    await forgetKeys(name);
    return showModel(name);
  });
  mount(router, models.removeKey, async ({ params: { name }, query: { keyName } }) => {
    await requireModel(name);
    await removeStoredKey(name, keyName, stores);
    return showModel(name);
  });
  mount(router, models.chooseKey, async ({ params: { name }, body }) => {
    const { model } = await requireModel(name);
    await chooseKey({ name, model }, body, stores);
    await forgetKeys(name);
    return showModel(name);
  });
  mount(router, models.test, async ({ body: { model, draft }, signal }) => {
    const options = { store, env, signal, secrets };
    const test = draft ? testDraft(draft, options) : testModel({ model }, options);
    const { model: tested, report } = await test;
    return { model: tested, report };
  });
}
