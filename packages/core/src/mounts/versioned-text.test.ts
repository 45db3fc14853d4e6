import { readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256Of } from '../base/sha256.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { ChangedMeanwhile } from './file-identity.ts';
import { STATE_DOCUMENT } from './mount-path.ts';
import { createMountedFs, type MountedFs } from './mounted-fs.ts';
import { openVersionedText } from './versioned-text.ts';

/** `beforeReplace` is what another program does after the content was compared. */
async function createRig(beforeReplace: (file: string) => Promise<void> = async () => undefined) {
  const state = await tempFolder();
  const file = join(state, 'workflow.md');
  await writeFile(file, 'first');
  const real = createMountedFs({ project: undefined, pkg: undefined, state }, () => false);
  const counts = { reads: 0, replaces: 0 };
  const files: MountedFs = {
    ...real,
    withFile: (path, use) =>
      real.withFile(path, (opened) => {
        const readFile = () => {
          counts.reads++;
          return opened.handle.readFile();
        };
        return use({ ...opened, handle: { ...opened.handle, readFile } });
      }),
    async replace(...args) {
      counts.replaces++;
      await beforeReplace(file);
      return real.replace(...args);
    },
  };
  const names = async () => readdir(state);
  return { file, names, counts, text: openVersionedText(files, STATE_DOCUMENT) };
}

const shaOf = (text: string): string => sha256Of(Buffer.from(text));

describe('a text compared by its hash', () => {
  it('[O27] is not read again while its file is unchanged', async () => {
    const { text, counts } = await createRig();
    const { sha256 } = await text.read();
    await text.read();
    await text.replace('second', sha256);
    expect(await text.read()).toEqual({ text: 'second', sha256: shaOf('second') });
    expect(counts).toEqual({ reads: 1, replaces: 1 });
  });

  it('[O27] is replaced by a writer that has not read it in this process', async () => {
    const { text, file } = await createRig();
    await text.replace('second', shaOf('first'));
    expect(await readFile(file, 'utf8')).toBe('second');
    await expect(text.replace('third', shaOf('first'))).rejects.toThrow(ChangedMeanwhile);
  });

  it('[O27] is replaced if another program wrote the same content meanwhile', async () => {
    let isRewritten = false;
    const { text, file, names, counts } = await createRig(async (path) => {
      if (!isRewritten) await rm(path).then(() => writeFile(path, 'first'));
      isRewritten = true;
    });
    const { sha256 } = await text.read();
    await text.replace('second', sha256);
    expect(await readFile(file, 'utf8')).toBe('second');
    expect(counts).toEqual({ reads: 2, replaces: 2 });
    expect(await names()).toEqual(['workflow.md']);
  });

  it('[O27] keeps a change that another program makes between the comparison and the write', async () => {
    const { text, file, names } = await createRig((path) => writeFile(path, 'other'));
    const { sha256 } = await text.read();
    await expect(text.replace('second', sha256)).rejects.toThrow(ChangedMeanwhile);
    expect(await readFile(file, 'utf8')).toBe('other');
    expect(await names()).toEqual(['workflow.md']);
  });

  it('[O27] is given up on if another program keeps rewriting it', async () => {
    let time = 1;
    const { text, counts } = await createRig((path) => utimes(path, time, time++));
    const { sha256 } = await text.read();
    await expect(text.replace('second', sha256)).rejects.toThrow(ChangedMeanwhile);
    expect(counts.replaces).toBe(5);
  });
});
