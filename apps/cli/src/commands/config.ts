/** `crewagent config`: settings and models. */
import {
  CrewError,
  removeStoredKey,
  restrictSettings,
  type SettingsChange,
  showPolicies,
  type UserStore,
} from '@crewagent/core';
import { toChange, valueAt } from '@crewagent/protocol/describe-fields';
import { type ModelSettings, providerSchema } from '@crewagent/protocol/model';
import { settingsSchema } from '@crewagent/protocol/settings';
import { openStore } from '../open-store.ts';
import { say } from '../print/texts/say.ts';
import { flatten, invalidValueError, parseValue, resolveKey } from '../settings-keys.ts';
import { print, printDone, sanitize, style } from '../terminal.ts';
import { chooseLocalModel } from './choose-local-model.ts';

export async function list(options: { json?: true }): Promise<void> {
  const store = openStore();
  const policies = await showPolicies(store.policy);
  const settings = restrictSettings(await store.policy.read(), await store.settings.load());
  if (options.json)
    return print(JSON.stringify(policies.length === 0 ? settings : { ...settings, policies }));
  const locks = new Map(
    policies.flatMap(({ rules = [] }) =>
      rules.flatMap((rule) => (rule.setting ? [[rule.setting, rule] as const] : [])),
    ),
  );
  const defaults = new Map(
    flatten(settingsSchema.parse({})).map(([key, value]) => [key, JSON.stringify(value)]),
  );
  for (const [key, value] of flatten(settings)) {
    if (key === 'schemaVersion' || key === 'models') continue;
    const lock = locks.get(key);
    locks.delete(key);
    const limited = lock ? `  (policy: at most ${sanitize(lock.value)}, rule "${lock.rule}")` : '';
    const line = `${sanitize(key)} = ${sanitize(toText(value))}${limited}`;
    print(defaults.get(key) === JSON.stringify(value) ? style('dim', line) : line);
  }
  for (const [key, { rule, value }] of locks)
    print(`${sanitize(key)} is not set  (policy: at most ${sanitize(value)}, rule "${rule}")`);
  if (policies.length > 0) print(say('config.policy'));
  for (const name of Object.keys(settings.models)) {
    if (await store.secrets.has(name)) print(say('config.hasKey', { model: `models.${sanitize(name)}` }));
  }
  if (Object.keys(settings.models).length === 0) print(style('dim', `\n${say('config.noModel')}`));
}

export async function get(key: string): Promise<void> {
  const { path } = resolveKey(key);
  const value = valueAt(await openStore().settings.load(), path);
  if (value === undefined) throw new CrewError('USAGE', `"${key}" is not set.`);
  print(sanitize(toText(value)));
}

export async function set(key: string, text: string): Promise<void> {
  const setting = resolveKey(key);
  const value = parseValue(setting, text);
  if (value === undefined) throw invalidValueError(key, setting, text);
  const store = openStore();
  if (key === 'defaultModel' && text !== 'rehearsal') await requireModel(store, text);
  try {
    await store.settings.update(toChange(setting.path, value) as SettingsChange);
  } catch (error) {
    const field =
      error instanceof CrewError && error.code === 'SETTINGS_INVALID' ? error.details.field : undefined;
    const [group, name] = setting.path;
    if (group === 'models' && String(field).startsWith(`models.${name}.prices.`))
      throw new CrewError(
        'USAGE',
        `A price has two parts. Set both with: crewagent config set models.${name}.prices input=USD,output=USD (per million tokens)`,
      );
    if (group !== 'models' || field !== `models.${name}.model`) throw error;
    throw new CrewError(
      'USAGE',
      `There is no model "${name}" yet. Add it with: crewagent config add-model ${name} --base-url URL --model MODEL`,
    );
  }
  printDone(`${sanitize(key)} = ${sanitize(toText(value))}`);
}

export async function unset(key: string): Promise<void> {
  const { path } = resolveKey(key);
  const store = openStore();
  const [group, model = '', ...field] = path;
  const isModel = group === 'models' && field.length === 0 && model !== '';
  const isDefault = isModel && (await store.settings.load()).defaultModel === model;
  const change = {
    ...(toChange(path, null) as SettingsChange),
    ...(isDefault ? { defaultModel: null } : {}),
  };
  await store.settings.update(change);
  printDone(say('config.reset', { key: sanitize(key) }));
  if (isDefault) print(`  ${say('config.noDefault')}`);
  if (isModel && (await store.secrets.has(model))) {
    await removeStoredKey(model, undefined, { store, secrets: store.secrets });
    print(`  ${say('config.keyDeleted')}`);
  }
}

interface AddModelOptions {
  readonly model?: string;
  readonly baseUrl?: string;
  readonly provider?: string;
  readonly apiKeyEnv?: string;
  readonly contextTokens?: number;
  readonly prices?: string;
  readonly default?: true;
}

export async function addModel(givenName: string | undefined, options: AddModelOptions): Promise<void> {
  const { apiKeyEnv, contextTokens } = options;
  if (givenName === 'rehearsal')
    throw new CrewError('USAGE', '"rehearsal" is the name of the built-in stand-in. Choose another name.');
  const { provider, baseUrl, model } = await resolveModel(options);
  const name = givenName ?? toProfileName(model, provider);
  const { path } = resolveKey(`models.${name}`);
  const prices = options.prices === undefined ? undefined : parsePrices(name, options.prices);
  const entry = { provider, model, baseUrl, apiKeyEnv, contextTokens, prices };
  const store = openStore();
  const settings = await store.settings.load();
  const isDefault = options.default === true || settings.defaultModel === undefined;
  try {
    await store.settings.update({
      ...toChange(path, toReplacement(settings.models[name], entry)),
      ...(isDefault ? { defaultModel: name } : {}),
    } as SettingsChange);
  } catch (error) {
    const field =
      error instanceof CrewError && error.code === 'SETTINGS_INVALID' ? error.details.field : undefined;
    if (field === `models.${name}.baseUrl`)
      throw new CrewError('USAGE', `"${baseUrl}" is not a URL. Give one like http://127.0.0.1:11434/v1.`);
    throw error;
  }
  const added = { name: sanitize(name), model: sanitize(model) };
  printDone(say(isDefault ? 'config.addedDefault' : 'config.added', added));
  print(style('dim', `  ${say('config.setKey', { name })}`));
  print(style('dim', `  ${say('config.test', { name })}`));
}

/** Without a model, one of those on this machine. */
async function resolveModel({ model, baseUrl, provider: given }: AddModelOptions) {
  const provider = providerSchema.safeParse(given ?? 'generic');
  if (!provider.success)
    throw new CrewError('USAGE', `The provider must be one of ${providerSchema.options.join(', ')}.`);
  if (model === undefined && baseUrl === undefined)
    return chooseLocalModel(given === undefined ? undefined : provider.data);
  if (model === undefined)
    throw new CrewError('USAGE', 'Say which model to use at this address: give --model.');
  if (provider.data === 'generic' && baseUrl === undefined)
    throw new CrewError(
      'USAGE',
      'The address of the model is missing. Give --base-url, or a --provider with a known address.',
    );
  return { provider: provider.data, baseUrl, model };
}

/** As on the page: the model's name in the characters that a name may have. */
function toProfileName(model: string, provider: string): string {
  const letters = model
    .replace(/[^\w.:-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64);
  return letters || provider;
}

function parsePrices(name: string, text: string): ModelSettings['prices'] {
  const key = `models.${name}.prices`;
  const value = parseValue(resolveKey(key), text);
  if (value === undefined)
    throw new CrewError(
      'USAGE',
      `"${text}" is not a price. Give US dollars per million tokens, such as --prices input=0.4,output=1.6,cachedInput=0.1.`,
    );
  return value as ModelSettings['prices'];
}

/** Null clears a field, so that adding a model again replaces it. */
function toReplacement(old: ModelSettings | undefined, entry: ModelSettings): Record<string, unknown> {
  const cleared = Object.keys(old ?? {}).map((key): [string, unknown] => [key, null]);
  return Object.fromEntries([
    ...cleared,
    ...Object.entries(entry).filter(([, value]) => value !== undefined),
  ]);
}

export function path(): void {
  print(openStore().settings.label);
}

/** A model of the settings; throws USAGE for an unknown one. */
export async function requireModel(store: UserStore, name: string): Promise<ModelSettings> {
  const { models } = await store.settings.load();
  const found = Object.hasOwn(models, name) ? models[name] : undefined;
  if (found) return found;
  const known = Object.keys(models);
  throw new CrewError(
    'USAGE',
    `There is no model "${name}" in the settings. ${known.length > 0 ? `Use one of: ${known.join(', ')}` : 'Add one with: crewagent config add-model'}.`,
  );
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
