/**
 * API keys, by the name of the model settings they belong to. Kept in a file of the store that only its owner can read;
 * no key is ever part of an error.
 */
import { constants, open } from 'node:fs/promises';
import { type Secrets, secretsSchema } from '@crewagent/protocol/secrets';
import { CrewError } from '../base/crew-error.ts';
import { errnoOf, withDiskErrors } from '../base/errno.ts';
import type { StoreLayout } from './layout.ts';
import { changeStoreFile, parseJson, parseStored, writeStoreFile } from './store-file.ts';

type KeptKey = Secrets['keys'][string];

/** The key for a model at an address; one that was kept for another address is none. */
export async function readSecret(
  store: StoreLayout,
  name: string,
  address: string,
): Promise<string | undefined> {
  const kept = (await readKeys(store.secrets)).get(name);
  return kept?.address === address ? kept.key : undefined;
}

export async function hasSecret(store: StoreLayout, name: string): Promise<boolean> {
  return (await readKeys(store.secrets)).has(name);
}

export async function writeSecret(
  store: StoreLayout,
  name: string,
  { key: secret, address }: KeptKey,
): Promise<void> {
  const key = requireKey(secret);
  await changeKeys(store, (keys) => keys.set(name, { key, address }));
}

export async function removeSecret(store: StoreLayout, name: string): Promise<void> {
  await changeKeys(store, (keys) => keys.delete(name));
}

/** A key is sent in a header: it must be one line of plain characters. */
function requireKey(secret: string): string {
  const key = secret.trim();
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new CrewError('USAGE', 'An API key is one word of letters, digits and signs; this is none.');
}

async function changeKeys(
  { secrets: file }: StoreLayout,
  change: (keys: Map<string, KeptKey>) => void,
): Promise<void> {
  await changeStoreFile(file, async () => {
    const keys = await readKeys(file);
    change(keys);
    const secrets: Secrets = { schemaVersion: 1, keys: Object.fromEntries(keys) };
    await writeStoreFile(file, secrets);
  });
}

async function readKeys(file: string): Promise<Map<string, KeptKey>> {
  const text = await withDiskErrors('Could not read the API keys', () => readPrivately(file));
  if (text === undefined) return new Map();
  // A key may stand anywhere in a file that is wrong, also where a name should be.
  const describe = (): string => 'it does not hold keys by name';
  const { keys } = parseStored(secretsSchema, parseJson(text, file), file, describe);
  return new Map(Object.entries(keys));
}

/** A file that others can read is closed to them first. */
async function readPrivately(file: string): Promise<string | undefined> {
  try {
    const handle = await open(file, constants.O_RDONLY);
    try {
      const isOpenToOthers = ((await handle.stat()).mode & 0o077) !== 0;
      if (isOpenToOthers && process.platform !== 'win32') await handle.chmod(0o600);
      return await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
