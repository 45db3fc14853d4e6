/**
 * API keys of models, each with a name, and values for MCP servers, in a file of the store that only its owner can read.
 * No key is ever part of an error.
 */
import { constants, open } from 'node:fs/promises';
import { DEFAULT_KEY, keyNameSchema } from '@crewagent/protocol/model';
import { type Secrets, secretsSchema } from '@crewagent/protocol/secrets';
import { CrewError } from '../../base/crew-error.ts';
import { errnoOf, withDiskErrors } from '../../base/errno.ts';
import type { NamedKey } from '../../llm/next-key.ts';
import type { StorePaths } from './layout.ts';
import { changeStoreFile, parseJson, parseStored, writeStoreFile } from './store-file.ts';

export type StoredKey = Secrets['keys'][string];

export interface KeyToStore extends StoredKey {
  /** Default: the name of a model's only key. */
  readonly name?: string | undefined;
}

/** Storage of API keys: a file of the store, or the key store of the operating system. */
export interface SecretStore {
  /** The keys of a model for this address, in the order in which they were added. */
  list(model: string, address: string): Promise<readonly NamedKey[]>;
  /** Whether a key is stored for any address. */
  has(model: string): Promise<boolean>;
  write(model: string, key: KeyToStore): Promise<void>;
  /** Removes one key, or all keys of the model. */
  remove(model: string, name?: string): Promise<void>;
}

export function createFileSecrets({ secrets: file }: Pick<StorePaths, 'secrets'>): SecretStore {
  return {
    list: async (model, address) => listKeys(await readKeys(file), model, address),
    has: async (model) => hasKeys(await readKeys(file), model),
    async write(model, toStore) {
      const [name, key] = toEntry(model, toStore);
      await changeKeys(file, (keys) => keys.set(name, key));
    },
    remove: (model, name) => changeKeys(file, (keys) => removeKeys(keys, model, name)),
  };
}

type Keys = Map<string, StoredKey>;

export function listKeys(keys: Keys, model: string, address: string): NamedKey[] {
  return [...keys].flatMap(([entry, stored]) => {
    const name = keyNameIn(entry, model);
    return name !== undefined && stored.address === address ? [{ name, key: stored.key }] : [];
  });
}

export function hasKeys(keys: Keys, model: string): boolean {
  return [...keys.keys()].some((entry) => keyNameIn(entry, model) !== undefined);
}

export function removeKeys(keys: Keys, model: string, name?: string): void {
  for (const entry of [...keys.keys()]) {
    const found = keyNameIn(entry, model);
    if (found !== undefined && (name === undefined || name === found)) keys.delete(entry);
  }
}

/** The name and value of a stored key; throws USAGE if one of them is invalid. */
export function toEntry(
  model: string,
  { key, address, name = DEFAULT_KEY }: KeyToStore,
): [entry: string, key: StoredKey] {
  if (!keyNameSchema.safeParse(name).success)
    throw new CrewError(
      'USAGE',
      'This is not a name for a key. Use at most 24 letters, digits, spaces and dashes, such as "work".',
    );
  const entry = name === DEFAULT_KEY ? model : `${model}/${name}`;
  return [entry, { key: requireKey(key), address }];
}

/** Undefined for a key of another model. */
function keyNameIn(entry: string, model: string): string | undefined {
  if (entry === model) return DEFAULT_KEY;
  return entry.startsWith(`${model}/`) ? entry.slice(model.length + 1) : undefined;
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

export async function changeKeys(file: string, change: (keys: Keys) => unknown): Promise<void> {
  await changeStoreFile(file, async () => {
    const stored = await readSecrets(file);
    const keys = new Map(Object.entries(stored.keys));
    await change(keys);
    await writeStoreFile(file, { ...stored, keys: Object.fromEntries(keys) } satisfies Secrets);
  });
}

async function readKeys(file: string): Promise<Keys> {
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
