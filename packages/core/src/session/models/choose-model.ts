/**
 * Chooses the model of a run from the request, then the environment, then the settings; without any of them, the
 * rehearsal, so that everything runs without configuration. Also finds the model's API keys.
 */
import { resolve } from 'node:path';
import type { ModelOverride } from '@crewagent/protocol/api/settings';
import type { ModelSettings, RunModel } from '@crewagent/protocol/model';
import type { Settings } from '@crewagent/protocol/settings';
import { CrewError } from '../../base/crew-error.ts';
import type { NamedKey } from '../../llm/next-key.ts';

/** Choice of a person for one run. */
export interface ModelChoice {
  /** A model's name, the name of an entry in the settings, or `rehearsal`. */
  readonly model?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly apiKeyEnv?: string | undefined;
  /** Path of a recording. */
  readonly replay?: string | undefined;
}

/** Whether the choice names anything. */
export function isModelNamed(choice: ModelChoice): boolean {
  return Object.values(choice).some((value) => value !== undefined);
}

export type Environment = Readonly<Record<string, string | undefined>>;

export function chooseModel(choice: ModelChoice, settings: Settings, env: Environment): RunModel {
  // Absolute, because the run may be resumed from another folder.
  if (choice.replay !== undefined) return { kind: 'replay', file: resolve(choice.replay) };
  const name = choice.model ?? (env.CREWAGENT_MODEL || (choice.baseUrl ? undefined : settings.defaultModel));
  const baseUrl = choice.baseUrl ?? (env.CREWAGENT_BASE_URL || undefined);
  if (name === '') throw new CrewError('USAGE', 'The name of the model is empty; give one, or leave it out.');
  if (name === 'rehearsal') return { kind: 'rehearsal' };
  if (name === undefined) {
    if (baseUrl === undefined) return { kind: 'rehearsal' };
    throw new CrewError(
      'USAGE',
      `Say which model to use at ${baseUrl}: give --model, or set CREWAGENT_MODEL.`,
    );
  }
  const known = Object.hasOwn(settings.models, name) ? settings.models[name] : undefined;
  if (
    !known &&
    name === settings.defaultModel &&
    choice.model === undefined &&
    env.CREWAGENT_MODEL === undefined
  ) {
    throw new CrewError(
      'SETTINGS_INVALID',
      `The default model "${name}" is not among the models in the settings; choose one with "crewagent config set defaultModel NAME".`,
    );
  }
  // A model that is not in the settings is expected at the address of the default model.
  const [profile, base] = known
    ? [name, known]
    : resolveUnlisted(name, baseUrl, settings, choice.apiKeyEnv ?? keyVariableOf(env));
  const located = toProviderModel(baseUrl === undefined ? undefined : checkUrl(baseUrl), profile, base);
  const { apiKeyEnv } = choice;
  return apiKeyEnv === undefined ? located : { ...located, settings: { ...located.settings, apiKeyEnv } };
}

export type ProviderModel = Extract<RunModel, { kind: 'provider' }>;

/** A model at its own address, or at `baseUrl` if given. */
export function toProviderModel(
  baseUrl: string | undefined,
  profile: string | undefined,
  settings: ModelSettings,
): ProviderModel {
  const isOtherAddress = baseUrl !== undefined && baseUrl !== settings.baseUrl;
  return {
    kind: 'provider',
    // A stored key belongs to one address and is never sent to another.
    ...(profile === undefined || isOtherAddress ? {} : { profile }),
    settings: isOtherAddress ? { ...settings, baseUrl } : settings,
  };
}

function resolveUnlisted(
  model: string,
  baseUrl: string | undefined,
  { models, defaultModel }: Settings,
  keyVariable: string | undefined,
): [profile: string | undefined, settings: ModelSettings] {
  if (baseUrl !== undefined) return [undefined, { provider: 'generic', model }];
  const defaultSettings = defaultModel === undefined ? undefined : models[defaultModel];
  if (defaultSettings)
    return [defaultModel, { provider: defaultSettings.provider, ...pickAddress(defaultSettings), model }];
  const known = Object.keys(models);
  if (known.length === 0 && keyVariable !== undefined) return [undefined, { provider: 'openai', model }];
  const has = known.length === 0 ? 'no models yet' : known.join(', ');
  throw new CrewError(
    'USAGE',
    `There is no model "${model}" in the settings, which have ${has}; add it with "crewagent config add-model", or give an address for it: --base-url or CREWAGENT_BASE_URL.`,
  );
}

/** The variable of the environment whose key OpenAI would get. */
function keyVariableOf(env: Environment): string | undefined {
  return ['CREWAGENT_API_KEY', 'OPENAI_API_KEY'].find((name) => env[name]);
}

/** Size and price of one model do not apply to another, so only its address is copied. */
function pickAddress({ baseUrl, apiKeyEnv }: ModelSettings): Pick<ModelSettings, 'baseUrl' | 'apiKeyEnv'> {
  return { baseUrl, apiKeyEnv };
}

/** The API keys of a model. Without one, as for local models, the list is empty. */
export interface ModelKeys {
  /** The first one is used. */
  readonly list: readonly NamedKey[];
  /** Whether the other keys are used when the first one is rejected or has no quota left. */
  readonly useNext: boolean;
}

export async function findApiKeys(
  model: ProviderModel,
  env: Environment,
  readStored: (profile: string, address: string) => Promise<ModelKeys>,
): Promise<ModelKeys> {
  for (const source of keySourcesOf(model, env)) {
    if (source.kind === 'stored') {
      const stored = await readStored(source.profile, addressOf(model.settings));
      if (stored.list.length > 0) return stored;
      continue;
    }
    const key = env[source.variable];
    if (key) return { list: [{ name: source.variable, key }], useNext: false };
    if (source.kind === 'named')
      throw new CrewError(
        'USAGE',
        `The environment variable ${source.variable}, which the model's API key is read from, is not set.`,
      );
  }
  return { list: [], useNext: false };
}

export type KeySource =
  /** Named by the model's settings; no other source is used then. */
  | { readonly kind: 'named'; readonly variable: string }
  | { readonly kind: 'environment'; readonly variable: string }
  | { readonly kind: 'stored'; readonly profile: string };

/** Possible sources of a model's key, in order; the first one that has a key is used. */
export function keySourcesOf({ profile, settings }: ProviderModel, env: Environment): readonly KeySource[] {
  const { apiKeyEnv } = settings;
  if (apiKeyEnv !== undefined) return [{ kind: 'named', variable: apiKeyEnv }];
  const fromEnvironment = (variable: string): KeySource[] =>
    env[variable] ? [{ kind: 'environment', variable }] : [];
  return [
    ...fromEnvironment('CREWAGENT_API_KEY'),
    ...(profile === undefined ? [] : [{ kind: 'stored', profile } as const]),
    ...fromEnvironment('OPENAI_API_KEY'),
  ];
}

/** The address a stored key belongs to. */
export function addressOf({ baseUrl, provider }: ModelSettings): string {
  return baseUrl ?? provider;
}

function checkUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return text;
  throw new CrewError(
    'USAGE',
    `"${text}" is not a valid model address. Use one like http://127.0.0.1:11434/v1, without a user name.`,
  );
}

interface NamedModel {
  readonly name: string;
  readonly settings: ModelSettings;
  /** Whether a key is stored for the model's own address. */
  readonly hasKey: boolean;
}

/** Environment variables that override a model's address or key, with the precedence that a run uses. */
export function overridesOf({ name, settings, hasKey }: NamedModel, env: Environment): ModelOverride[] {
  const effective = toProviderModel(env.CREWAGENT_BASE_URL || undefined, name, settings);
  const { baseUrl } = effective.settings;
  const source = keySourcesOf(effective, env).find(({ kind }) => kind !== 'stored' || hasKey);
  return [
    ...(baseUrl === settings.baseUrl
      ? []
      : [{ field: 'baseUrl', variable: 'CREWAGENT_BASE_URL', value: baseUrl } as const]),
    ...(source?.kind === 'environment' ? [{ field: 'key', variable: source.variable } as const] : []),
  ];
}
