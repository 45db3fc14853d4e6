/**
 * The stored API keys of a model: which one is used, in which order the others follow, and the changes a person makes.
 * The settings hold names only.
 */
import { DEFAULT_KEY, type ModelSettings } from '@crewagent/protocol/model';
import type { Settings } from '@crewagent/protocol/settings';
import { CrewError } from '../../base/crew-error.ts';
import type { NamedKey } from '../../llm/next-key.ts';
import type { SecretStore } from '../../store/secret-store.ts';
import type { UserStore } from '../../store/store.ts';
import { addressOf, type ModelKeys } from './choose-model.ts';

export interface KeyStores {
  readonly store: UserStore;
  readonly secrets: SecretStore;
}

/** A model of the settings. */
export interface KeyOwner {
  readonly name: string;
  readonly model: ModelSettings;
}

/** Reads the current settings: a run that was started earlier uses the key that is chosen now. */
export function createKeyReader({ store, secrets }: KeyStores) {
  return async (profile: string, address: string): Promise<ModelKeys> => {
    const [stored, settings] = await Promise.all([secrets.list(profile, address), store.settings.load()]);
    return toModelKeys(stored, choiceOf(profile, settings));
  };
}

export interface StoredKeys {
  /** In the order in which they were added. */
  readonly names: readonly string[];
  readonly used: string | undefined;
  readonly useNext: boolean;
}

export async function listStoredKeys(
  { name, model }: KeyOwner,
  settings: Settings,
  secrets: SecretStore,
): Promise<StoredKeys> {
  const stored = await secrets.list(name, addressOf(model));
  const { list, useNext } = toModelKeys(stored, choiceOf(name, settings));
  return { names: stored.map((key) => key.name), used: list[0]?.name, useNext };
}

/** Stores a key for the current address of the model. Without a name it replaces the key that is used. */
export async function storeKey(
  owner: KeyOwner,
  { key, name }: { readonly key: string; readonly name?: string | undefined },
  { store, secrets }: KeyStores,
): Promise<void> {
  const { used } = await listStoredKeys(owner, await store.settings.load(), secrets);
  await secrets.write(owner.name, { key, address: addressOf(owner.model), name: name ?? used });
}

/** Deletes one key, or all of them with what was chosen about them. */
export async function removeStoredKey(
  model: string,
  name: string | undefined,
  { store, secrets }: KeyStores,
): Promise<void> {
  await secrets.remove(model, name);
  const choice = choiceOf(model, await store.settings.load());
  if (choice !== undefined && (name === undefined || choice.use === name))
    await store.settings.update({ modelKeys: { [model]: name === undefined ? null : { use: null } } });
}

export interface KeyChoice {
  readonly use?: string | undefined;
  readonly useNext?: boolean | undefined;
}

/** Throws NOT_FOUND for a key that is not stored. */
export async function chooseKey(
  owner: KeyOwner,
  { use, useNext }: KeyChoice,
  { store, secrets }: KeyStores,
): Promise<void> {
  const { names } = await listStoredKeys(owner, await store.settings.load(), secrets);
  if (use !== undefined && !names.includes(use)) {
    const known = names.length === 0 ? 'It has no key.' : `Its keys are ${names.join(', ')}.`;
    throw new CrewError('NOT_FOUND', `The model "${owner.name}" has no key "${use}". ${known}`);
  }
  await store.settings.update({ modelKeys: { [owner.name]: { use, useNext } } });
}

function choiceOf(model: string, { modelKeys }: Settings): KeyChoice | undefined {
  return Object.hasOwn(modelKeys, model) ? modelKeys[model] : undefined;
}

function toModelKeys(stored: readonly NamedKey[], choice: KeyChoice = {}): ModelKeys {
  const { use = DEFAULT_KEY, useNext = false } = choice;
  const chosen = stored.findIndex(({ name }) => name === use);
  const first = Math.max(0, chosen);
  return { list: [...stored.slice(first), ...stored.slice(0, first)], useNext };
}
