/**
 * API keys encrypted by the operating system, in a file of the store. The keys in `secrets.json` are moved here once; keys
 * that the command line writes there later are read, but not moved.
 */

import { secretsSchema } from '@crewagent/protocol/secrets';
import * as z from '@crewagent/protocol/zod';
import { hasKeys, listKeys, removeKeys, type SecretStore, type StoredKey, toEntry } from '../secret-store.ts';
import { parseStored } from '../stored-document.ts';
import { createStoreLayout } from './layout.ts';
import { openDiskSecrets } from './open-user-store.ts';
import { changeStoreFile, readStoreFile, writeStoreFile } from './store-file.ts';

/** Encryption by the key store of the operating system. */
export interface SecretCipher {
  encrypt(text: string): Uint8Array;
  /** Throws for bytes that were encrypted by another user or on another machine. */
  decrypt(bytes: Uint8Array): string;
}

const protectedSchema = z.strictObject({
  schemaVersion: z.literal(1),
  /** Whether `secrets.json` was emptied; false after a crash before that. */
  isMoved: z.boolean(),
  /** Encrypted, in Base64. */
  keys: z.string(),
});

export async function openProtectedSecrets(root: string, cipher: SecretCipher): Promise<SecretStore> {
  const store = createStoreLayout(root);
  const file = store.protectedSecrets;
  const plain = openDiskSecrets(store);
  const load = async () => {
    const value = await readStoreFile(file);
    if (value === undefined) return { isMoved: false, keys: new Map<string, StoredKey>() };
    const { isMoved, keys } = parseStored(protectedSchema, value, file);
    const text = cipher.decrypt(Buffer.from(keys, 'base64'));
    const { keys: stored } = secretsSchema.parse(JSON.parse(text));
    return { isMoved, keys: new Map(Object.entries(stored)) };
  };
  const save = async (keys: ReadonlyMap<string, StoredKey>, isMoved: boolean): Promise<void> => {
    const text = JSON.stringify({ schemaVersion: 1, keys: Object.fromEntries(keys) });
    const encrypted = Buffer.from(cipher.encrypt(text)).toString('base64');
    await writeStoreFile(file, { schemaVersion: 1, isMoved, keys: encrypted });
  };
  const change = (edit: (keys: Map<string, StoredKey>) => void): Promise<void> =>
    changeStoreFile(file, async () => {
      const { isMoved, keys } = await load();
      edit(keys);
      await save(keys, isMoved);
    });
  const move = (): Promise<void> =>
    changeStoreFile(file, async () => {
      const { isMoved, keys } = await load();
      if (isMoved) return;
      await plain.changeKeys(async (found) => {
        // The keys are encrypted and durable before they are removed from the other file.
        await save(new Map([...found, ...keys]), false);
        found.clear();
      });
      await save((await load()).keys, true);
    });

  await move();
  return {
    async list(model, address) {
      const own = listKeys((await load()).keys, model, address);
      const others = await plain.list(model, address);
      return [...own, ...others.filter(({ name }) => !own.some((key) => key.name === name))];
    },
    has: async (model) => hasKeys((await load()).keys, model) || plain.has(model),
    async write(model, toStore) {
      const [name, key] = toEntry(model, toStore);
      await change((keys) => keys.set(name, key));
    },
    async remove(model, name) {
      await change((keys) => removeKeys(keys, model, name));
      if (await plain.has(model)) await plain.remove(model, name);
    },
  };
}
