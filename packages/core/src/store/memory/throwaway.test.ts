/** Works of a store that ends with the process wait for no disk. */
import { chmod, link, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ChangedMeanwhile } from '../../mounts/file-identity.ts';
import { createMountedFs } from '../../mounts/mounted-fs.ts';
import { canLosePower, watchDisk } from '../../testing/lossy-disk.ts';
import { tempFolder } from '../../testing/temp-folder.ts';

describe.runIf(canLosePower)('files of mounts', () => {
  const stepsOf = async (isThrowaway: boolean): Promise<number> => {
    const project = await tempFolder();
    await mkdir(join(project, 'old'));
    let steps = 0;
    const disk = await watchDisk(project, { onStep: () => void steps++ });
    try {
      const files = createMountedFs({ project, pkg: undefined, state: undefined, isThrowaway }, () => false);
      const path = { mount: '@project', segments: ['new', 'a.md'] } as const;
      await files.replace(path, Buffer.from('1'), { tempName: '.temp', expected: 'absent' });
      await files.remove(path);
    } finally {
      disk.stop();
    }
    return steps;
  };

  it('are synced and renamed into place; those that nobody keeps are only renamed', async () => {
    expect(await stepsOf(true)).toBe(1);
    expect(await stepsOf(false)).toBeGreaterThanOrEqual(4);
  });
});

describe('a file that nobody keeps', () => {
  const path = { mount: '@project', segments: ['a.md'] } as const;
  const opened = async (text: string) => {
    const project = await tempFolder();
    const file = join(project, 'a.md');
    await writeFile(file, text);
    const roots = { project, pkg: undefined, state: undefined, isThrowaway: true };
    const files = createMountedFs(roots, () => false);
    const replace = (content: string, options = {}) =>
      files.replace(path, Buffer.from(content), { tempName: '.temp', ...options });
    const identity = () => files.withFile(path, async (open) => open.identity);
    return { project, file, replace, identity };
  };

  it('is written in place, also with a shorter text, and has another identity then', async () => {
    const { project, file, replace, identity } = await opened('a long text');
    const before = await identity();
    const inode = (await stat(file)).ino;
    expect(await replace('short')).not.toEqual(before);
    expect(await readFile(file, 'utf8')).toBe('short');
    expect((await stat(file)).ino).toBe(inode);
    expect(await identity()).not.toEqual(before);
    expect(await readdir(project)).toEqual(['a.md']);
  });

  it('is never taken for the version before, however soon it is written again', async () => {
    const { replace, identity } = await opened('0');
    for (let round = 0; round < 50; round++) {
      const before = await identity();
      const written = await replace(String(round % 10));
      expect(written).not.toEqual(before);
      expect(await identity()).toEqual(written);
    }
  });

  it('is not written over another version than the expected one', async () => {
    const { file, replace, identity } = await opened('old');
    const before = await identity();
    await writeFile(file, 'by another program');
    await expect(replace('new', { expected: before })).rejects.toThrow(ChangedMeanwhile);
    await expect(replace('new', { expected: 'absent' })).rejects.toThrow(ChangedMeanwhile);
    expect(await readFile(file, 'utf8')).toBe('by another program');
  });

  it.skipIf(process.platform === 'win32')(
    'keeps its mode, and its other names keep their content',
    async () => {
      const { project, file, replace } = await opened('old');
      await link(file, join(project, 'b.md'));
      await chmod(file, 0o440);
      await replace('new');
      expect(await readFile(join(project, 'b.md'), 'utf8')).toBe('old');
      expect((await stat(file)).mode & 0o777).toBe(0o440);
    },
  );
});
