import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../../testing/temp-folder.ts';
import { type DiskStore, openDiskStore } from './open-store.ts';
import { readSecret, removeSecret, writeSecret } from './secrets-store.ts';

const createStore = async (): Promise<DiskStore> => openDiskStore(join(await tempFolder(), 'store'));

const AT = 'https://one.example/v1';

describe('API keys', () => {
  it('[A18] are returned only for the address they were stored for', async () => {
    const store = await createStore();
    await writeSecret(store, 'fast', { key: 'sk-one', address: AT });
    expect(await readSecret(store, 'fast', 'https://two.example/v1')).toBeUndefined();
    expect(await readSecret(store, 'fast', AT)).toBe('sk-one');
  });

  it('[A27] are stored by name, readable by their owner only', async () => {
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
    if (process.platform !== 'win32') expect((await stat(store.secrets)).mode & 0o777).toBe(0o600);
  });

  it.skipIf(process.platform === 'win32')(
    '[A27] lose the access of other users before they are read',
    async () => {
      const store = await createStore();
      await writeSecret(store, 'fast', { key: 'sk-one', address: AT });
      for (const mode of [0o644, 0o640, 0o604]) {
        await chmod(store.secrets, mode);
        expect(await readSecret(store, 'fast', AT)).toBe('sk-one');
        expect((await stat(store.secrets)).mode & 0o777).toBe(0o600);
      }
    },
  );

  it('[A27] are never part of an error', async () => {
    const store = await createStore();
    await mkdir(store.root);
    for (const text of [
      '{"keys":{"fast":"sk-one',
      '{"schemaVersion":1,"keys":{"fast":["sk-one"]}}',
      '{"schemaVersion":1,"keys":{"sk-one":1},"sk-two":2}',
      '"sk-one"',
    ]) {
      await writeFile(store.secrets, text);
      const attempts = [
        () => readSecret(store, 'fast', AT),
        () => writeSecret(store, 'slow', { key: 'sk-two', address: AT }),
      ];
      for (const attempt of attempts) {
        const error: unknown = await attempt().catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({ code: 'STORE_DAMAGED' });
        expect(JSON.stringify([error, String(error), (error as Error).cause ?? null])).not.toMatch(/sk-/);
      }
      expect(await readFile(store.secrets, 'utf8')).toBe(text);
    }
    for (const key of ['', '  ', 'sk one', 'sk-\r\nX-Header: 1', 'sk-ü'])
      await expect(writeSecret(store, 'slow', { key, address: AT })).rejects.toMatchObject({ code: 'USAGE' });
  });
});
