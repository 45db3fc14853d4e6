import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { rawZip, zipOfSharedBytes } from '../../testing/packages/raw-zip.ts';
import { tempFolder } from '../../testing/temp-folder.ts';
import { listEntries } from './open-archive.ts';
import { DamagedFile } from './package-files.ts';

async function list(bytes: Buffer, limit = 10) {
  const path = join(await tempFolder(), 'a.zip');
  await writeFile(path, bytes);
  const handle = await open(path);
  onTestFinished(() => handle.close());
  return listEntries(handle, limit);
}

describe('the entries of a zip', () => {
  it('[Z1] are listed up to the limit, and read on demand', async () => {
    const zip = rawZip(['a', 'b', 'c'].map((name) => ({ name, data: `text of ${name}` })));
    const entries = await list(zip, 2);
    expect(entries.map(({ name }) => name)).toEqual(['a', 'b']);
    expect((await entries[1]?.read())?.toString()).toBe('text of b');
    expect(await list(zip, 3)).toHaveLength(3);
  });

  it('[Z1] are readable if they are stored or deflated, and not encrypted', async () => {
    const data = 'text';
    const entries = await list(
      rawZip([
        { name: 'stored', data, method: 0 },
        { name: 'deflated', data },
        { name: 'packed in another way', data, method: 14 },
        { name: 'encrypted', data, flags: 1 },
      ]),
    );
    expect(entries.map(({ isReadable }) => isReadable)).toEqual([true, true, false, false]);
  });

  it('[Z1] do not share bytes', async () => {
    await expect(list(zipOfSharedBytes())).rejects.toThrow(DamagedFile);
    expect(await list(zipOfSharedBytes(), 1)).toHaveLength(1);
  });

  it('[Z1] of anything else are an error that keeps its cause', async () => {
    const error: unknown = await list(Buffer.from('not a zip')).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DamagedFile);
    expect((error as DamagedFile).cause).toBeInstanceOf(Error);
  });
});
