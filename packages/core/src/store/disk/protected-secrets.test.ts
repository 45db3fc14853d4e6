import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../../testing/temp-folder.ts';
import type { SecretStore } from '../secret-store.ts';
import { type DiskStore, openDiskStore } from './open-store.ts';
import { openProtectedSecrets, type SecretCipher } from './protected-secrets.ts';

const AT = 'https://one.example/v1';

/** Replaces the key store of the operating system: reversible, and not readable as plain text. */
const cipher: SecretCipher = {
  encrypt: (text) => Buffer.from(text).map((byte) => byte ^ 0x5a),
  decrypt: (bytes) => Buffer.from(bytes.map((byte) => byte ^ 0x5a)).toString(),
};

const keyIn = async (secrets: SecretStore, model: string, address: string): Promise<string | undefined> =>
  (await secrets.list(model, address))[0]?.key;

const createStore = async (): Promise<DiskStore> => openDiskStore(join(await tempFolder(), 'store'));

describe('API keys in the key store of the operating system', () => {
  it('[G20] are moved there once, and secrets.json is emptied', async () => {
    const store = await createStore();
    await store.secrets.write('fast', { key: 'sk-one', address: AT });
    const secrets = await openProtectedSecrets(store.root, cipher);
    expect(await keyIn(secrets, 'fast', AT)).toBe('sk-one');
    expect(await store.secrets.has('fast')).toBe(false);
    for (const file of [store.secretsFile, store.protectedSecrets])
      expect(await readFile(file, 'utf8')).not.toContain('sk-one');
  });

  it('[G20] are also read from secrets.json if the command line writes one later', async () => {
    const store = await createStore();
    await openProtectedSecrets(store.root, cipher);
    await store.secrets.write('slow', { key: 'sk-two', address: AT });
    const secrets = await openProtectedSecrets(store.root, cipher);
    expect(await keyIn(secrets, 'slow', AT)).toBe('sk-two');
    expect(await keyIn(store.secrets, 'slow', AT)).toBe('sk-two');
    await secrets.remove('slow');
    expect(await secrets.has('slow')).toBe(false);
  });

  it('[G20] are not lost if the move is interrupted', async () => {
    const store = await createStore();
    await store.secrets.write('fast', { key: 'sk-one', address: AT });
    let count = 0;
    const failing: SecretCipher = {
      ...cipher,
      encrypt(text) {
        count += 1;
        if (count === 2) throw new Error('the key store is locked');
        return cipher.encrypt(text);
      },
    };
    await expect(openProtectedSecrets(store.root, failing)).rejects.toThrow('locked');
    expect(await keyIn(await openProtectedSecrets(store.root, cipher), 'fast', AT)).toBe('sk-one');
  });

  it('[N151] [G20] are several of one model, those of secrets.json after the others', async () => {
    const store = await createStore();
    const secrets = await openProtectedSecrets(store.root, cipher);
    const plain = store.secrets;
    await plain.write('fast', { name: 'private', key: 'sk-private', address: AT });
    await plain.write('fast', { name: 'work', key: 'sk-outdated', address: AT });
    await secrets.write('fast', { name: 'work', key: 'sk-work', address: AT });
    expect(await secrets.list('fast', AT)).toEqual([
      { name: 'work', key: 'sk-work' },
      { name: 'private', key: 'sk-private' },
    ]);
    await secrets.remove('fast', 'work');
    expect((await secrets.list('fast', AT)).map(({ name }) => name)).toEqual(['private']);
    await secrets.remove('fast');
    expect(await secrets.has('fast')).toBe(false);
  });

  it('[G20] are written, replaced and removed, each for one address', async () => {
    const secrets = await openProtectedSecrets((await createStore()).root, cipher);
    await secrets.write('fast', { key: ' sk-one\n', address: AT });
    expect(await keyIn(secrets, 'fast', AT)).toBe('sk-one');
    expect(await keyIn(secrets, 'fast', 'https://two.example')).toBeUndefined();
    await expect(secrets.write('fast', { key: 'two words', address: AT })).rejects.toMatchObject({
      code: 'USAGE',
    });
    await secrets.remove('fast');
    expect(await keyIn(secrets, 'fast', AT)).toBeUndefined();
  });
});
