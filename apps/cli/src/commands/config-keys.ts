/** `crewagent config set-key`, `keys`, `use-key` and `remove-key`: API keys of models. A key is never an argument and never printed. */
import { text as readText } from 'node:stream/consumers';
import {
  CrewError,
  chooseKey,
  listStoredKeys,
  removeStoredKey,
  storeKey,
  type UserStore,
} from '@crewagent/core';
import { askHidden } from '../ask/prompter.ts';
import { hostProcess } from '../host-process.ts';
import { openStore } from '../open-store.ts';
import { print, printDone, sanitize, style } from '../terminal.ts';
import { requireModel } from './config.ts';

export async function setKey(profile: string, { name }: { readonly name?: string }): Promise<void> {
  const store = openStore();
  const model = await requireModel(store, profile);
  const { stdin } = hostProcess();
  const key = stdin.isTTY
    ? await askHidden(`API key for ${sanitize(describe(profile, name))} (not shown): `)
    : await readText(stdin);
  if (key === undefined || key.trim() === '')
    throw new CrewError('USAGE', 'No API key was given. Nothing was changed.');
  await storeKey({ name: profile, model }, { key, name }, storesOf(store));
  printDone(`the API key of ${sanitize(describe(profile, name))} is stored in a file only you can read`);
}

export async function listKeys(profile: string): Promise<void> {
  const store = openStore();
  const model = await requireModel(store, profile);
  const { names, used, useNext } = await listStoredKeys(
    { name: profile, model },
    await store.settings.load(),
    store.secrets,
  );
  if (names.length === 0) print(`There is no API key for ${sanitize(profile)}.`);
  for (const name of names) print(`${sanitize(name)}${name === used ? ' (used)' : ''}`);
  if (names.length > 1 && useNext)
    print(style('dim', 'When a key is refused or has no quota left, the next one is used.'));
}

interface UseKeyOptions {
  readonly next?: boolean;
}

export async function useKey(profile: string, use: string, { next }: UseKeyOptions): Promise<void> {
  const store = openStore();
  const model = await requireModel(store, profile);
  await chooseKey({ name: profile, model }, { use, useNext: next }, storesOf(store));
  printDone(`${sanitize(profile)} uses the API key "${sanitize(use)}"`);
}

export async function removeKey(profile: string, { name }: { readonly name?: string }): Promise<void> {
  const store = openStore();
  const secrets = store.secrets;
  const settings = await store.settings.load();
  const model = Object.hasOwn(settings.models, profile) ? settings.models[profile] : undefined;
  const isStored =
    name === undefined || !model
      ? await secrets.has(profile)
      : (await listStoredKeys({ name: profile, model }, settings, secrets)).names.includes(name);
  if (!isStored) return print(`There is no API key for ${sanitize(describe(profile, name))}.`);
  await removeStoredKey(profile, name, storesOf(store));
  printDone(`the API key of ${sanitize(describe(profile, name))} was deleted`);
}

function storesOf(store: UserStore) {
  return { store, secrets: store.secrets };
}

function describe(profile: string, name: string | undefined): string {
  return name === undefined ? profile : `${profile} "${name}"`;
}
