import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { canLosePower, type LossyDiskOptions, type PowerLoss, watchDisk } from '../testing/lossy-disk.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import {
  appendSync,
  createFile,
  createFolders,
  renameEntry,
  replaceFile,
  replaceFileSync,
  syncContent,
  syncFolder,
} from './durable-files.ts';

const LONG = Buffer.alloc(600_000, 'new');

describe.skipIf(!canLosePower)('after a power loss', () => {
  const watched = async (options?: LossyDiskOptions) => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'a.txt'), 'old');
    const disk = await watchDisk(folder, options);
    onTestFinished(() => disk.stop());
    return { folder, file: join(folder, 'a.txt'), disk };
  };
  const textOf = (left: PowerLoss, path: string): string | undefined => left.get(path)?.toString();

  it.each([
    ['replaceFile', (file: string) => replaceFile(file, 'new')],
    ['replaceFileSync', (file: string) => Promise.resolve(replaceFileSync(file, Buffer.from('new')))],
    ['replaceFile with chunks', (file: string) => replaceFile(file, (write) => write(Buffer.from('new')))],
  ])('[W7] %s leaves the old or the new file, and the new one once it resolved', async (_, replace) => {
    const seen = new Set<string | undefined>();
    const { file, disk } = await watched({
      onStep: ({ losePower }) => seen.add(textOf(losePower(), 'a.txt')),
    });
    await replace(file);
    expect(seen).toEqual(new Set(['old', 'new']));
    expect(textOf(disk.losePower(), 'a.txt')).toBe('new');
    expect(disk.earlyRenames).toEqual([]);
  });

  it('[W7] writes a long file completely', async () => {
    const { file, disk } = await watched();
    await replaceFile(file, LONG);
    expect(disk.losePower().get('a.txt')?.equals(LONG)).toBe(true);
  });

  it("[W7] keeps a created file's content, and its name once the folder is synced", async () => {
    const { folder, disk } = await watched();
    await createFile(join(folder, 'b.txt'), 'new');
    expect(disk.losePower().has('b.txt')).toBe(false);
    await syncFolder(folder);
    expect(textOf(disk.losePower(), 'b.txt')).toBe('new');
  });

  it('[W7] keeps created folders with all of their parents', async () => {
    const { folder, disk } = await watched();
    expect(await createFolders(join(folder, 'b/c/d'))).toBe(join(folder, 'b'));
    expect([...disk.losePower().keys()]).toEqual(['a.txt', 'b/', 'b/c/', 'b/c/d/']);
    expect(await createFolders(join(folder, 'b/c/d'))).toBeUndefined();
  });

  it('[W7] keeps a moved entry in its new folder only', async () => {
    const { folder, file, disk } = await watched();
    await mkdir(join(folder, 'b'));
    disk.settle();
    await renameEntry(file, join(folder, 'b/a.txt'));
    expect([...disk.losePower().keys()]).toEqual(['b/', 'b/a.txt']);
  });

  it('[W7] keeps appended lines once they were synced', async () => {
    const { file, disk } = await watched();
    const handle = await open(file, 'r+');
    onTestFinished(() => handle.close());
    appendSync(handle.fd, Buffer.from(' and a line\n'), 3);
    expect(textOf(disk.losePower(), 'a.txt')).toBe('old');
    await syncContent(handle.fd);
    expect(textOf(disk.losePower(), 'a.txt')).toBe('old and a line\n');
  });

  it('[W7] detects a rename before the sync, and a name without a synced folder (self-check of the simulated disk)', async () => {
    const { folder, disk } = await watched();
    await writeFile(join(folder, 'temp'), 'new');
    const { renameSync } = await import('node:fs');
    renameSync(join(folder, 'temp'), join(folder, 'b.txt'));
    expect(disk.earlyRenames).toEqual(['temp']);
    expect(disk.losePower().has('b.txt')).toBe(false);
    await syncFolder(folder);
    expect(textOf(disk.losePower(), 'b.txt')).toBe('');
  });
});

describe('a failed write', () => {
  it('[W7] leaves the old file and no temp file', async () => {
    const folder = await tempFolder();
    const file = join(folder, 'a.txt');
    await writeFile(file, 'old');
    const failing = replaceFile(file, async (write) => {
      await write(Buffer.from('new'));
      throw new Error('no more');
    });
    await expect(failing).rejects.toThrow('no more');
    expect(await readFile(file, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['a.txt']);
  });

  it('[W7] to a log keeps the earlier lines', async () => {
    const file = join(await tempFolder(), 'a.log');
    writeFileSync(file, 'one\n');
    const handle = await open(file, 'r');
    onTestFinished(() => handle.close());
    expect(() => appendSync(handle.fd, Buffer.from('two\n'), 4)).toThrow('EBADF');
    expect(readFileSync(file, 'utf8')).toBe('one\n');
  });
});

describe('the sources', () => {
  it('[W7] sync files and rename written files in one module only', () => {
    const root = fileURLToPath(new URL('../../../../', import.meta.url));
    const owner = 'packages/core/src/base/durable-files.ts';
    const found = ['packages/core/src', 'packages/server/src', 'packages/protocol/src', 'apps/cli/src']
      .flatMap((folder) =>
        readdirSync(join(root, folder), { recursive: true }).map((name) => `${folder}/${name}`),
      )
      .filter((path) => /\.ts$/.test(path) && !/\.test\.ts$|\/testing\//.test(path))
      .filter((path) => SYNCS_OR_RENAMES.test(readFileSync(join(root, path), 'utf8')));
    // Moving a user's file: its content was not written by us.
    expect(found.sort()).toEqual([owner, 'packages/core/src/mounts/move-entry.ts']);
  });
});

const SYNCS_OR_RENAMES =
  /import \{[^}]*\b(?:f(?:data)?sync(?:Sync)?|rename(?:Sync)?)\b[^}]*\} from 'node:fs|\bhandle\.(?:data)?sync\(/;
