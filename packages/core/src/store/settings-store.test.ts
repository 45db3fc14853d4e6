import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { settingsSchema } from '@crewagent/protocol/settings';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../testing/temp-folder.ts';
import { type DiskStore, openDiskStore } from './disk/open-store.ts';
import type { SettingsChange } from './settings-store.ts';

async function storeWith(settings?: string): Promise<DiskStore> {
  const store = openDiskStore(join(await tempFolder(), 'store'));
  await mkdir(store.root);
  if (settings !== undefined) await writeFile(store.settingsFile, settings);
  return store;
}

describe('settings', () => {
  it('[A25] have defaults if there is no file', async () => {
    const store = await storeWith();
    expect(await store.settings.load()).toEqual(settingsSchema.parse({}));
    expect(await (await storeWith('\uFEFF{"limits":{"maxTurns":7}}')).settings.load()).toMatchObject({
      limits: { maxTurns: 7 },
      context: { scope: 'node' },
    });
  });

  const invalid: [text: string, field: string | undefined, message: string][] = [
    ['{"limits":{"maxTurns":0}}', 'limits.maxTurns', '"limits.maxTurns": '],
    ['{"models":{"a":{"model":"m","apiKey":"sk-secret"}}}', 'models.a', '"models.a": '],
    ['{"schemaVersion":2}', 'schemaVersion', '"schemaVersion": '],
    ['{"limits":', undefined, 'the file is not JSON'],
    ['[]', undefined, 'the file is not a JSON object'],
  ];
  it.each(invalid)('[A25] %s are reported with the field and not changed', async (text, field, message) => {
    const store = await storeWith(text);
    await expect(store.settings.load()).rejects.toMatchObject({
      code: 'SETTINGS_INVALID',
      details: field ? { field } : {},
    });
    await expect(store.settings.load()).rejects.toThrow(message);
    await expect(store.settings.update({ context: { scope: 'run' } })).rejects.toMatchObject({
      code: 'SETTINGS_INVALID',
    });
    await expect(store.settings.load()).rejects.not.toThrow('sk-secret');
    expect(await readFile(store.settingsFile, 'utf8')).toBe(text);
  });

  it('[A25] that are invalid can be corrected by an update', async () => {
    const store = await storeWith('{"limits":{"maxTurns":0,"maxTokens":5}}');
    expect(await store.settings.update({ limits: { maxTurns: 3 } })).toMatchObject({
      limits: { maxTurns: 3, maxTokens: 5 },
    });
  });

  it('[A25] are merged, and the file contains only values that were set', async () => {
    const store = await storeWith();
    await store.settings.update({
      defaultModel: 'fast',
      models: { fast: { model: 'm1', temperature: 0.5 }, slow: { model: 'm2' } },
    });
    await store.settings.update({
      defaultModel: undefined,
      models: { fast: { temperature: undefined, model: 'm3' } },
      limits: { maxTokens: 1_000 },
    });
    await store.settings.update({ models: { slow: null }, limits: { maxTokens: null } });
    expect(JSON.parse(await readFile(store.settingsFile, 'utf8'))).toEqual({
      schemaVersion: 1,
      defaultModel: 'fast',
      models: { fast: { model: 'm3', temperature: 0.5 } },
      limits: {},
    });
    expect((await store.settings.load()).models.fast).toMatchObject({ provider: 'generic', model: 'm3' });
    if (process.platform !== 'win32') expect((await stat(store.settingsFile)).mode & 0o777).toBe(0o600);
  });

  it('[A25] reject an invalid update, and treat "__proto__" as an ordinary key', async () => {
    const store = await storeWith('{"limits":{"maxTurns":9}}');
    const changes = ['{"limits":{"maxTurns":"many"}}', '{"colour":"red"}', '{"__proto__":{"polluted":1}}'];
    for (const change of changes) {
      const attempt = store.settings.update(JSON.parse(change) as SettingsChange);
      await expect(attempt).rejects.toMatchObject({ code: 'SETTINGS_INVALID' });
    }
    expect('polluted' in {}).toBe(false);
    expect(await readFile(store.settingsFile, 'utf8')).toBe('{"limits":{"maxTurns":9}}');
  });

  it('[A23] changed many times at once lose no update', async () => {
    const store = await storeWith();
    const names = Array.from({ length: 12 }, (_, index) => `m${index}`);
    await Promise.all(names.map((name) => store.settings.update({ models: { [name]: { model: name } } })));
    expect(Object.keys((await store.settings.load()).models).sort()).toEqual(names.sort());
  });
});
