/**
 * API keys by name of their model settings, values and logins for MCP servers, in a file of the store that only its owner can
 * read. No key is ever part of an error.
 */
import { constants, open } from 'node:fs/promises';
import { type Secrets, type ServerLogin, secretsSchema } from '@crewagent/protocol/secrets';
import { CrewError } from '../../base/crew-error.ts';
import { errnoOf, withDiskErrors } from '../../base/errno.ts';
import { lockFile } from './file-lock.ts';
import type { StorePaths } from './layout.ts';
import { changeStoreFile, parseJson, parseStored, writeStoreFile } from './store-file.ts';

export type StoredKey = Secrets['keys'][string];

/** Storage of API keys: a file of the store, or the key store of the operating system. */
export interface SecretStore {
  /** Undefined if the key was stored for another address. */
  read(name: string, address: string): Promise<string | undefined>;
  has(name: string): Promise<boolean>;
  write(name: string, key: StoredKey): Promise<void>;
  remove(name: string): Promise<void>;
}

export function createFileSecrets(store: StorePaths): SecretStore {
  return {
    read: (name, address) => readSecret(store, name, address),
    has: (name) => hasSecret(store, name),
    write: (name, key) => writeSecret(store, name, key),
    remove: (name) => removeSecret(store, name),
  };
}

/** Undefined if the key was stored for another address. */
export async function readSecret(
  store: StorePaths,
  name: string,
  address: string,
): Promise<string | undefined> {
  const stored = (await readKeys(store.secrets)).get(name);
  return stored?.address === address ? stored.key : undefined;
}

export async function hasSecret(store: StorePaths, name: string): Promise<boolean> {
  return (await readKeys(store.secrets)).has(name);
}

export async function writeSecret(
  store: StorePaths,
  name: string,
  { key: secret, address }: StoredKey,
): Promise<void> {
  const key = requireKey(secret);
  await changeKeys(store, (keys) => keys.set(name, { key, address }));
}

export async function removeSecret(store: StorePaths, name: string): Promise<void> {
  await changeKeys(store, (keys) => keys.delete(name));
}

/** Values of an MCP server by name; empty if they were stored for another command or URL. */
export async function readServerSecrets(
  store: StorePaths,
  server: string,
  address: string,
): Promise<Readonly<Record<string, string>>> {
  const stored = (await readSecrets(store.secrets)).servers?.[server];
  return stored?.address === address ? stored.values : {};
}

/** Replaces all values of a server; without values its entry is removed. */
export async function writeServerSecrets(
  { secrets: file }: StorePaths,
  server: string,
  secrets: { readonly address: string; readonly values: Readonly<Record<string, string>> },
): Promise<void> {
  await changeStoreFile(file, async () => {
    const stored = await readSecrets(file);
    const servers = new Map(Object.entries(stored.servers ?? {}));
    servers.delete(server);
    if (Object.keys(secrets.values).length > 0)
      servers.set(server, { address: secrets.address, values: { ...secrets.values } });
    await writeStoreFile(file, { ...stored, servers: Object.fromEntries(servers) } satisfies Secrets);
  });
}

/** The login for an MCP server; undefined if there is none for this address. */
export async function readServerLogin(
  store: Pick<StorePaths, 'secrets'>,
  server: string,
  address: string,
): Promise<ServerLogin | undefined> {
  const stored = (await readSecrets(store.secrets)).logins?.[server];
  return stored?.address === address ? stored : undefined;
}

/** Replaces the login for an MCP server; undefined removes it. */
export async function writeServerLogin(
  { secrets: file }: Pick<StorePaths, 'secrets'>,
  server: string,
  login: ServerLogin | undefined,
): Promise<void> {
  await changeStoreFile(file, async () => {
    const stored = await readSecrets(file);
    if (login === undefined && stored.logins?.[server] === undefined) return;
    const logins = new Map(Object.entries(stored.logins ?? {}));
    logins.delete(server);
    if (login) logins.set(server, login);
    await writeStoreFile(file, { ...stored, logins: Object.fromEntries(logins) } satisfies Secrets);
  });
}

const REFRESH_WAIT_MS = 30_000;

/** One process at a time renews tokens: a refresh token that is used twice may end the login. */
export async function withLoginLock<T>(
  { loginLock }: Pick<StorePaths, 'loginLock'>,
  work: () => Promise<T>,
): Promise<T> {
  const attempt = await lockFile(loginLock, { waitMs: REFRESH_WAIT_MS });
  if (!attempt.isAccepted) throw new CrewError('DISK', 'Another process is renewing a login; try again.');
  try {
    return await work();
  } finally {
    await attempt.lock.release();
  }
}

/** A key is sent in a header, so it must be one line of printable ASCII. */
export function requireKey(secret: string): string {
  const key = secret.trim();
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new CrewError(
    'USAGE',
    'This is not an API key: a key has only letters, digits and punctuation, without spaces. Copy it again.',
  );
}

export async function changeKeys(
  { secrets: file }: Pick<StorePaths, 'secrets'>,
  change: (keys: Map<string, StoredKey>) => unknown,
): Promise<void> {
  await changeStoreFile(file, async () => {
    const stored = await readSecrets(file);
    const keys = new Map(Object.entries(stored.keys));
    await change(keys);
    await writeStoreFile(file, { ...stored, keys: Object.fromEntries(keys) } satisfies Secrets);
  });
}

async function readKeys(file: string): Promise<Map<string, StoredKey>> {
  return new Map(Object.entries((await readSecrets(file)).keys));
}

async function readSecrets(file: string): Promise<Secrets> {
  const text = await withDiskErrors('Could not read the API keys', () => readPrivately(file));
  if (text === undefined) return { schemaVersion: 1, keys: {} };
  // No detail of the problem: a key may be anywhere in an invalid file, even in place of a name.
  const describe = (): string => 'it does not have the expected format';
  return parseStored(secretsSchema, parseJson(text, file), file, describe);
}

/** Removes the access of other users before reading. */
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
