import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../testing/temp-folder.ts';
import { type DiskStore, openDiskStore } from './disk/open-store.ts';
import type { KeyToStore } from './secret-store.ts';

const createStore = async (): Promise<DiskStore> => openDiskStore(join(await tempFolder(), 'store'));

const AT = 'https://one.example/v1';

const readSecret = async (store: DiskStore, model: string, address: string): Promise<string | undefined> =>
  (await store.secrets.list(model, address))[0]?.key;
const writeSecret = (store: DiskStore, model: string, key: KeyToStore): Promise<void> =>
  store.secrets.write(model, key);
const removeSecret = (store: DiskStore, model: string): Promise<void> => store.secrets.remove(model);

describe('API keys', () => {
  it('[A18] are returned only for the address they were stored for', async () => {
    const store = await createStore();
    await writeSecret(store, 'fast', { key: 'sk-one', address: AT });
    expect(await readSecret(store, 'fast', 'https://two.example/v1')).toBeUndefined();
    expect(await readSecret(store, 'fast', AT)).toBe('sk-one');
  });

  it('[O25] are stored by name, readable by their owner only', async () => {
    const store = await createStore();
    expect(await readSecret(store, 'fast', AT)).toBeUndefined();
    await writeSecret(store, 'fast', { key: ' sk-one\n', address: AT });
    await writeSecret(store, 'constructor', { key: 'sk-two', address: AT });
    expect([await readSecret(store, 'fast', AT), await readSecret(store, 'constructor', AT)]).toEqual([
      'sk-one',
      'sk-two',
    ]);
    expect(await readSecret(store, 'toString', AT)).toBeUndefined();
    await removeSecret(store, 'fast');
    await removeSecret(store, 'fast');
    expect(await readSecret(store, 'fast', AT)).toBeUndefined();
    if (process.platform !== 'win32') expect((await stat(store.secretsFile)).mode & 0o777).toBe(0o600);
  });

  it('[N151] are several of one model, each with a name, in the order in which they were added', async () => {
    const store = await createStore();
    const secrets = store.secrets;
    // The key of an earlier version, which knew no names.
    await mkdir(store.root);
    const old = { schemaVersion: 1, keys: { fast: { key: 'sk-old', address: AT } } };
    await writeFile(store.secretsFile, JSON.stringify(old));
    await secrets.write('fast', { name: 'work', key: 'sk-work', address: AT });
    await secrets.write('fast', { name: '私人', key: 'sk-private', address: AT });
    await secrets.write('fast', { name: 'work', key: 'sk-work-2', address: AT });
    await secrets.write('faster', { name: 'work', key: 'sk-other', address: AT });
    await secrets.write('fast', { name: 'moved', key: 'sk-moved', address: 'https://two.example/v1' });
    expect(await secrets.list('fast', AT)).toEqual([
      { name: 'default', key: 'sk-old' },
      { name: 'work', key: 'sk-work-2' },
      { name: '私人', key: 'sk-private' },
    ]);
    await secrets.remove('fast', 'work');
    expect((await secrets.list('fast', AT)).map(({ name }) => name)).toEqual(['default', '私人']);
    await secrets.remove('fast');
    expect([await secrets.has('fast'), await secrets.has('faster')]).toEqual([false, true]);
  });

  it.each(['', ' work', 'a/b', 'x\n', 'sk-proj-0123456789abcdefghij'])(
    '[N151] are not stored under the name %j, which is not part of the error',
    async (name) => {
      const secrets = (await createStore()).secrets;
      const error: unknown = await secrets
        .write('fast', { name, key: 'sk-one', address: AT })
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'USAGE' });
      expect(String(error)).not.toContain('sk-');
      expect(await secrets.has('fast')).toBe(false);
    },
  );

  it.skipIf(process.platform === 'win32')(
    '[O25] lose the access of other users before they are read',
    async () => {
      const store = await createStore();
      await writeSecret(store, 'fast', { key: 'sk-one', address: AT });
      for (const mode of [0o644, 0o640, 0o604]) {
        await chmod(store.secretsFile, mode);
        expect(await readSecret(store, 'fast', AT)).toBe('sk-one');
        expect((await stat(store.secretsFile)).mode & 0o777).toBe(0o600);
      }
    },
  );

  it('[O25] are never part of an error', async () => {
    const store = await createStore();
    await mkdir(store.root);
    for (const text of [
      '{"keys":{"fast":"sk-one',
      '{"schemaVersion":1,"keys":{"fast":["sk-one"]}}',
      '{"schemaVersion":1,"keys":{"sk-one":1},"sk-two":2}',
      '"sk-one"',
    ]) {
      await writeFile(store.secretsFile, text);
      const attempts = [
        () => readSecret(store, 'fast', AT),
        () => writeSecret(store, 'slow', { key: 'sk-two', address: AT }),
      ];
      for (const attempt of attempts) {
        const error: unknown = await attempt().catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({ code: 'STORE_DAMAGED' });
        expect(JSON.stringify([error, String(error), (error as Error).cause ?? null])).not.toMatch(/sk-/);
      }
      expect(await readFile(store.secretsFile, 'utf8')).toBe(text);
    }
    for (const key of ['', '  ', 'sk one', 'sk-\r\nX-Header: 1', 'sk-ü'])
      await expect(writeSecret(store, 'slow', { key, address: AT })).rejects.toMatchObject({ code: 'USAGE' });
  });
});
