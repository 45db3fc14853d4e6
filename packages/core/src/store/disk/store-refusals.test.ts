import { spawnSync } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { driverPath } from '../../testing/driver-path.ts';
import { sampleDraft } from '../../testing/sample-record.ts';
import { readTree, tempFolder } from '../../testing/temp-folder.ts';
import { openDiskStore } from './open-store.ts';
import { createWork } from './work-folders.ts';

/** A store with a run and settings, and one operation on it by another process under `limits` (a shell command). */
async function workUnder(limits: string, work: string, ...args: string[]) {
  const root = await tempFolder();
  const store = openDiskStore(join(root, 'store'));
  await createWork(store, sampleDraft(), { now: () => new Date() });
  await store.settings.update({ models: { old: { model: 'old' } } });
  const driver = driverPath('store-driver');
  const asNobody = limits === ':' && process.getuid?.() === 0;
  const open = asNobody ? [root, dirname(dirname(driver)), store.root, store.projectsFolder] : [];
  for (const folder of open) await chmod(folder, 0o755);
  if (asNobody)
    for (const file of [store.settingsFile, `${store.settingsFile}.lock`]) await chmod(file, 0o666);
  if (limits === ':' && !asNobody) await chmod(store.root, 0o500);
  const before = await readTree(store.root);
  const command = `${limits}; exec "$0" "$@"`;
  const { stdout, stderr } = spawnSync(
    'bash',
    ['--norc', '-c', command, process.execPath, driver, work, store.root, ...args],
    { encoding: 'utf8', ...(asNobody ? { uid: 65_534, gid: 65_534 } : {}) },
  );
  expect(stderr).toBe('');
  const after = await readTree(store.root);
  return { result: JSON.parse(stdout) as { code: string; message: string }, before, after };
}

const text = 'x'.repeat(90_000);
const tooLarge = `ulimit -f 40; trap '' XFSZ`;

describe('a disk error', () => {
  const refusals: [what: string, limits: string, work: string[], message: RegExp][] = [
    [
      'settings that may not be written',
      ':',
      ['change settings', 'new'],
      /^Could not change settings\.json: permission was denied/,
    ],
    [
      'settings that are too large',
      tooLarge,
      ['change settings', text],
      /the file is too large for this disk/,
    ],
    [
      'creating a run without permission',
      ':',
      ['create run'],
      /^Could not create the run: permission was denied/,
    ],
  ];
  it.each(refusals)('%s: is reported as one error, and nothing changes', async (_, limits, work, message) => {
    const [name = '', ...args] = work;
    const { result, before, after } = await workUnder(limits, name, ...args);
    expect(result).toMatchObject({ code: 'DISK' });
    expect(result.message).toMatch(message);
    expect(after).toEqual(before);
  });

  it('a file instead of the store folder is reported as one error', async () => {
    const root = await tempFolder();
    await mkdir(join(root, 'a'));
    await writeFile(join(root, 'a', 'store'), '');
    const store = openDiskStore(join(root, 'a', 'store'));
    await expect(store.settings.update({})).rejects.toMatchObject({ code: 'DISK' });
    const creating = createWork(store, sampleDraft(), { now: () => new Date() });
    await expect(creating).rejects.toMatchObject({ code: 'DISK' });
  });
});
