/**
 * API keys of models, each with a name, and values and logins for MCP servers. No key is ever part of an error.
 */
import { DEFAULT_KEY, keyNameSchema } from '@crewagent/protocol/model';
import { type Secrets, type ServerLogin, secretsSchema } from '@crewagent/protocol/secrets';
import { CrewError } from '../base/crew-error.ts';
import type { NamedKey } from '../llm/next-key.ts';
import { parseStored, type StoredDocument } from './stored-document.ts';

export type StoredKey = Secrets['keys'][string];

export interface KeyToStore extends StoredKey {
  /** Default: the name of a model's only key. */
  readonly name?: string | undefined;
}

/** Storage of API keys: a document of the store, or the key store of the operating system. */
export interface SecretStore {
  /** The keys of a model for this address, in the order in which they were added. */
  list(model: string, address: string): Promise<readonly NamedKey[]>;
  /** Whether a key is stored for any address. */
  has(model: string): Promise<boolean>;
  write(model: string, key: KeyToStore): Promise<void>;
  /** Removes one key, or all keys of the model. */
  remove(model: string, name?: string): Promise<void>;
}

/** Secrets of the store, with those of MCP servers. */
export interface StoredSecrets extends SecretStore {
  /** Values of an MCP server by name; empty if they were stored for another command or URL. */
  readServer(server: string, address: string): Promise<Readonly<Record<string, string>>>;
  /** Replaces all values of a server; without values its entry is removed. */
  writeServer(
    server: string,
    secrets: { readonly address: string; readonly values: Readonly<Record<string, string>> },
  ): Promise<void>;
  /** The login for an MCP server; undefined if there is none for this address. */
  readLogin(server: string, address: string): Promise<ServerLogin | undefined>;
  /** Replaces the login for an MCP server; undefined removes it. */
  writeLogin(server: string, login: ServerLogin | undefined): Promise<void>;
  /** One process at a time renews tokens: a refresh token that is used twice may end the login. */
  whileRenewing<T>(work: () => Promise<T>): Promise<T>;
  /** Changes all keys at once. */
  changeKeys(change: (keys: Keys) => unknown): Promise<void>;
}

type Keys = Map<string, StoredKey>;

/** `whileRenewing` needs a lock of its own: the document stays free while tokens are renewed. */
export function createSecretStore(
  document: StoredDocument,
  whileRenewing: StoredSecrets['whileRenewing'],
): StoredSecrets {
  const readKeys = async (): Promise<Keys> => new Map(Object.entries((await readSecrets(document)).keys));
  /** Writes nothing without a change. */
  const update = (change: (stored: Secrets) => Promise<Partial<Secrets> | undefined>): Promise<void> =>
    document.change(async (write) => {
      const stored = await readSecrets(document);
      const changed = await change(stored);
      if (changed) await write({ ...stored, ...changed } satisfies Secrets);
    });
  const changeKeys: StoredSecrets['changeKeys'] = (change) =>
    update(async (stored) => {
      const keys = new Map(Object.entries(stored.keys));
      await change(keys);
      return { keys: Object.fromEntries(keys) };
    });
  return {
    list: async (model, address) => listKeys(await readKeys(), model, address),
    has: async (model) => hasKeys(await readKeys(), model),
    async write(model, toStore) {
      const [entry, key] = toEntry(model, toStore);
      await changeKeys((keys) => keys.set(entry, key));
    },
    remove: (model, name) => changeKeys((keys) => removeKeys(keys, model, name)),
    changeKeys,
    async readServer(server, address) {
      const stored = (await readSecrets(document)).servers?.[server];
      return stored?.address === address ? stored.values : {};
    },
    writeServer: (server, { address, values }) =>
      update(async (stored) => {
        const servers = new Map(Object.entries(stored.servers ?? {}));
        servers.delete(server);
        if (Object.keys(values).length > 0) servers.set(server, { address, values: { ...values } });
        return { servers: Object.fromEntries(servers) };
      }),
    async readLogin(server, address) {
      const stored = (await readSecrets(document)).logins?.[server];
      return stored?.address === address ? stored : undefined;
    },
    writeLogin: (server, login) =>
      update(async (stored) => {
        if (login === undefined && stored.logins?.[server] === undefined) return undefined;
        const logins = new Map(Object.entries(stored.logins ?? {}));
        logins.delete(server);
        if (login) logins.set(server, login);
        return { logins: Object.fromEntries(logins) };
      }),
    whileRenewing,
  };
}

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

/** A key is sent in a header, so it must be one line of printable ASCII. */
export function requireKey(secret: string): string {
  const key = secret.trim();
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new CrewError(
    'USAGE',
    'This is not an API key: a key has only letters, digits and punctuation, without spaces. Copy it again.',
  );
}

async function readSecrets(document: StoredDocument): Promise<Secrets> {
  const value = await document.read();
  if (value === undefined) return { schemaVersion: 1, keys: {} };
  // No detail of the problem: a key may be anywhere in an invalid file, even in place of a name.
  const describe = (): string => 'it does not have the expected format';
  return parseStored(secretsSchema, value, document.label, describe);
}
