/**
 * Which model a run gets: what was asked for, then the environment, then the settings, then the built-in rehearsal, so that
 * everything runs with nothing configured. And the key that goes with it.
 */
import { resolve } from 'node:path';
import type { ModelSettings, RunModel } from '@crewagent/protocol/model';
import type { Settings } from '@crewagent/protocol/settings';
import { CrewError } from '../base/crew-error.ts';

/** What a person may say about the model of one run. */
export interface ModelChoice {
  /** A model's name, the name of an entry in the settings, or `rehearsal`. */
  readonly model?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly apiKeyEnv?: string | undefined;
  /** A recorded run. */
  readonly replay?: string | undefined;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export function chooseModel(choice: ModelChoice, settings: Settings, env: Environment): RunModel {
  // A run may be resumed from another folder.
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
  // Another model than those in the settings is looked for where the default one is.
  const [profile, base] = known ? [name, known] : elsewhere(name, baseUrl, settings);
  const placed = placeAt(baseUrl === undefined ? undefined : checkUrl(baseUrl), profile, base);
  const { apiKeyEnv } = choice;
  return apiKeyEnv === undefined ? placed : { ...placed, settings: { ...placed.settings, apiKeyEnv } };
}

export type ProviderModel = Extract<RunModel, { kind: 'provider' }>;

/** A model where it is looked for: at its own address, unless another one was said. */
export function placeAt(
  baseUrl: string | undefined,
  profile: string | undefined,
  settings: ModelSettings,
): ProviderModel {
  const isElsewhere = baseUrl !== undefined && baseUrl !== settings.baseUrl;
  return {
    kind: 'provider',
    // A key that is kept for one address is never sent to another.
    ...(profile === undefined || isElsewhere ? {} : { profile }),
    settings: isElsewhere ? { ...settings, baseUrl } : settings,
  };
}

function elsewhere(
  model: string,
  baseUrl: string | undefined,
  { models, defaultModel }: Settings,
): [profile: string | undefined, settings: ModelSettings] {
  if (baseUrl !== undefined) return [undefined, { provider: 'generic', model }];
  const nearby = defaultModel === undefined ? undefined : models[defaultModel];
  if (nearby) return [defaultModel, { provider: nearby.provider, ...pickAddress(nearby), model }];
  const known = Object.keys(models);
  if (known.length === 0) return [undefined, { provider: 'openai', model }];
  throw new CrewError(
    'USAGE',
    `There is no model "${model}" in the settings, which have ${known.join(', ')}; give --base-url for another one.`,
  );
}

/** What is known of one model says nothing about the size or price of another. */
function pickAddress({ baseUrl, apiKeyEnv }: ModelSettings): Pick<ModelSettings, 'baseUrl' | 'apiKeyEnv'> {
  return { ...(baseUrl === undefined ? {} : { baseUrl }), ...(apiKeyEnv === undefined ? {} : { apiKeyEnv }) };
}

/** The key for a model; undefined where none is known, which is right for models on this machine. */
export async function findApiKey(
  model: ProviderModel,
  env: Environment,
  readSecret: (profile: string, address: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  for (const source of keySourcesOf(model, env)) {
    const key =
      source.kind === 'kept'
        ? await readSecret(source.profile, addressOf(model.settings))
        : env[source.variable];
    if (key) return key;
    if (source.kind === 'named')
      throw new CrewError(
        'USAGE',
        `The environment variable ${source.variable}, which should hold the API key, is not set.`,
      );
  }
  return undefined;
}

export type KeySource =
  /** By the model itself, which then takes no other. */
  | { readonly kind: 'named'; readonly variable: string }
  | { readonly kind: 'environment'; readonly variable: string }
  | { readonly kind: 'kept'; readonly profile: string };

/** Where the key of a model may be: the first one that holds a key decides. */
export function keySourcesOf({ profile, settings }: ProviderModel, env: Environment): readonly KeySource[] {
  const { apiKeyEnv } = settings;
  if (apiKeyEnv !== undefined) return [{ kind: 'named', variable: apiKeyEnv }];
  const fromEnvironment = (variable: string): KeySource[] =>
    env[variable] ? [{ kind: 'environment', variable }] : [];
  return [
    ...fromEnvironment('CREWAGENT_API_KEY'),
    ...(profile === undefined ? [] : [{ kind: 'kept', profile } as const]),
    ...fromEnvironment('OPENAI_API_KEY'),
  ];
}

/** What a key is kept for. */
export function addressOf({ baseUrl, provider }: ModelSettings): string {
  return baseUrl ?? provider;
}

function checkUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return text;
  throw new CrewError(
    'USAGE',
    `"${text}" is not an address of a model; give one like http://127.0.0.1:11434/v1, without a user name.`,
  );
}
