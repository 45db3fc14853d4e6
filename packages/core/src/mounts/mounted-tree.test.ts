import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { errnoOf } from '../base/errno.ts';
import { mountPathOf as at } from '../testing/mount-path-of.ts';
import { readTree, tempFolder, writeTree } from '../testing/temp-folder.ts';
import type { MountPath } from './mount-path.ts';
import { createMountedTree, type MountedTree } from './mounted-tree.ts';
import { SandboxViolation } from './sandbox-violation.ts';

interface Rig {
  project: string;
  outside: string;
  tree: MountedTree;
}

async function createRig(): Promise<Rig> {
  const root = await tempFolder();
  const [project, outside] = [join(root, 'project'), join(root, 'outside')];
  await mkdir(project);
  await writeTree(outside, { 'secret.txt': 'OUTSIDE', 'dir/secret.txt': 'OUTSIDE' });
  return { project, outside, tree: createMountedTree(project) };
}

/** `done`, or the error. */
async function outcome(work: () => unknown): Promise<string> {
  try {
    await work();
    return 'done';
  } catch (error) {
    return error instanceof SandboxViolation ? error.reason : (errnoOf(error) ?? String(error));
  }
}

async function* piecesOf(content: string): AsyncGenerator<Buffer> {
  yield Buffer.from(content);
}

describe('a mounted tree', () => {
  it('[F8] moves files, links and folders, and never overwrites', async () => {
    const { project, tree } = await createRig();
    await writeTree(project, { 'a.md': 'a', 'b.md': 'b', 'dir/c.md': 'c', 'full/d.md': 'd' });
    await symlink('nowhere', join(project, 'link'));
    await mkdir(join(project, 'empty'));
    const move = (from: string, to: string) =>
      outcome(() => tree.move(at(`@project/${from}`), at(`@project/${to}`)));
    expect(await move('a.md', 'b.md')).toBe('EEXIST');
    expect(await move('a.md', 'empty')).toBe('EEXIST');
    expect(await move('dir', 'empty')).toBe('EEXIST');
    expect(await move('dir', 'full')).toBe('EEXIST');
    expect(await move('a.md', 'link')).toBe('EEXIST');
    expect(await move('none', 'x')).toBe('ENOENT');
    expect(await move('a.md', 'none/x')).toBe('ENOENT');
    expect(await move('a.md', 'b.md/x')).toBe('ENOTDIR');
    expect(await move('dir', 'dir/inner')).toBe('EINVAL');
    expect(await move('a.md', 'full/a.md')).toBe('done');
    expect(await move('dir', 'empty/dir')).toBe('done');
    expect(await move('link', 'empty/dir/link')).toBe('done');
    expect(await readTree(project)).toEqual({
      'b.md': 'b',
      'empty/': '',
      'empty/dir/': '',
      'empty/dir/c.md': 'c',
      'empty/dir/link': '-> nowhere',
      'full/': '',
      'full/a.md': 'a',
      'full/d.md': 'd',
    });
  });

  it('[F8] changes letter case, but treats two hard links of a file as two entries', async () => {
    const { project, tree } = await createRig();
    await writeTree(project, { 'readme.md': 'x' });
    await tree.move(at('@project/readme.md'), at('@project/README.md'));
    expect(await readdir(project)).toEqual(['README.md']);
    await link(join(project, 'README.md'), join(project, 'readme.md'));
    expect(await outcome(() => tree.move(at('@project/readme.md'), at('@project/README.md')))).toBe('EEXIST');
    expect(await readdir(project)).toHaveLength(2);
  });

  it('[F8] removes folders with their content, and links but not their targets', async () => {
    const { project, outside, tree } = await createRig();
    const before = await readTree(outside);
    await writeTree(project, { 'dir/a.md': 'a', 'dir/sub/deep/b.md': 'b', 'kept/c.md': 'c' });
    await symlink(outside, join(project, 'dir', 'out'));
    await symlink('../kept', join(project, 'dir', 'sub', 'in'));
    await symlink(outside, join(project, 'link'));
    execFileSync('mkfifo', [join(project, 'dir', 'pipe')]);
    await chmod(join(project, 'dir', 'sub'), 0o500);
    await tree.remove(at('@project/dir'));
    await tree.remove(at('@project/link'));
    expect(await readTree(project)).toEqual({ 'kept/': '', 'kept/c.md': 'c' });
    expect(await readTree(outside)).toEqual(before);
    expect(await outcome(() => tree.remove(at('@project/none')))).toBe('ENOENT');
    expect(await outcome(() => tree.removeEmptyFolder(at('@project/kept')))).toBe('ENOTEMPTY');
  });

  it('[F8] handles a tree 600 folders deep', async () => {
    const { project, tree } = await createRig();
    const deep = Array.from({ length: 600 }, () => 'd').join('/');
    await writeTree(project, { [`top/${deep}/x.md`]: 'x' });
    let visits = 0;
    for await (const { isLeaving } of tree.visit(at('@project/top'))) if (!isLeaving) visits++;
    expect(visits).toBe(602);
    await tree.remove(at('@project/top'));
    expect(await readdir(project)).toEqual([]);
  });

  it('[F8] reports a name with invalid encoding before removing anything', async () => {
    const { project, tree } = await createRig();
    await mkdir(join(project, 'dir'));
    await writeFile(Buffer.concat([Buffer.from(`${project}/dir/bad`), Buffer.from([0xff])]), 'x');
    const visit = async (): Promise<void> => {
      for await (const _ of tree.visit(at('@project/dir')));
    };
    expect(await outcome(visit)).toBe('EILSEQ');
  });

  it('[F1] rejects paths outside and other mounts, and neither moves nor removes the project itself', async () => {
    const { project, outside, tree } = await createRig();
    const before = await readTree(outside);
    await writeTree(project, { 'in.md': 'in', 'real/x.md': 'x' });
    await symlink(outside, join(project, 'out'));
    await symlink('real', join(project, 'inner'));
    for (const folder of ['out', 'inner', 'out/dir']) {
      const path = (name: string): MountPath => at(`@project/${folder}/${name}`);
      expect(await outcome(() => tree.stat(path('secret.txt')))).toBe('link');
      expect(await outcome(() => tree.makeFolder(path('new')))).toBe('link');
      expect(await outcome(() => tree.move(at('@project/in.md'), path('in.md')))).toBe('link');
      expect(await outcome(() => tree.move(path('secret.txt'), at('@project/got')))).toBe('link');
      expect(await outcome(() => tree.remove(path('secret.txt')))).toBe('link');
      expect(await outcome(() => tree.statAll(at(`@project/${folder}`), ['secret.txt']))).toBe('link');
      expect(await outcome(() => tree.addLink(path('l'), 'x'))).toBe('link');
      const file = { mode: 0o600, modifiedMs: 0, content: piecesOf('x') };
      expect(await outcome(() => tree.addFile(path('f'), file))).toBe('link');
      expect(await outcome(() => tree.watch(at(`@project/${folder}`), WATCHING))).toBe('link');
    }
    for (const path of ['@pkg/a', '@state/workflow.md'])
      expect(await outcome(() => tree.remove(at(path)))).toBe('path');
    expect(await outcome(() => tree.remove(at('@project')))).toBe('EBUSY');
    expect(await outcome(() => tree.move(at('@project'), at('@project/x')))).toBe('EBUSY');
    expect(await outcome(() => tree.makeFolder(at('@project')))).toBe('EBUSY');
    expect(await readTree(outside)).toEqual(before);
    expect(tree.stat(at('@project/out'))?.kind).toBe('link');
    expect(tree.stat(at('@project/inner'))?.kind).toBe('link');
    expect(tree.stat(at('@project'))?.kind).toBe('folder');
    expect(tree.stat(at('@project/none/none'))).toBeUndefined();
  });

  it('[F8] adds files and links as given, and never overwrites', async () => {
    const { project, tree } = await createRig();
    await tree.makeFolder(at('@project/dir'));
    const file = { mode: 0o640, modifiedMs: 1_500_000_000_000, content: piecesOf('content') };
    await tree.addFile(at('@project/dir/a.md'), file);
    await tree.addLink(at('@project/dir/l'), '../anywhere');
    await tree.seal(at('@project/dir'), 0o750);
    expect((await stat(join(project, 'dir'))).mode & 0o777).toBe(0o750);
    const made = await stat(join(project, 'dir/a.md'));
    expect([made.mode & 0o777, made.mtimeMs]).toEqual([0o640, 1_500_000_000_000]);
    expect(await readFile(join(project, 'dir/a.md'), 'utf8')).toBe('content');
    expect(await readlink(join(project, 'dir/l'))).toBe('../anywhere');
    expect(await outcome(() => tree.addFile(at('@project/dir/a.md'), file))).toBe('EEXIST');
    expect(await outcome(() => tree.addLink(at('@project/dir/a.md'), 'x'))).toBe('EEXIST');
    expect(await outcome(() => tree.makeFolder(at('@project/dir')))).toBe('EEXIST');
  });

  it('[F1] never leaves the project while a folder is swapped for a link during any operation', async () => {
    const { project, outside, tree } = await createRig();
    await writeTree(outside, { 'file.txt': 'OUTSIDE', 'made/x.txt': 'OUTSIDE', 'sub/y.txt': 'OUTSIDE' });
    await writeTree(project, { 'swap/file.txt': 'INSIDE', 'swap/sub/y.txt': 'INSIDE' });
    const before = await readTree(outside);
    const swapper = await startSwapper(project, outside);
    const seen = new Set<string>();
    const attempt = async (name: string, work: () => unknown): Promise<void> => {
      seen.add(`${name} ${await outcome(work)}`);
    };
    const inSwap = (name: string): MountPath => at(`@project/swap/${name}`);
    const wanted = ['make done', 'make link', 'move-in done', 'move-out done', 'remove done', 'add done'];
    for (let round = 0; round < 400 || !wanted.every((entry) => seen.has(entry)); round++) {
      await attempt('look', async () => {
        if (tree.stat(inSwap('dir'))) throw new Error('OUTSIDE');
        const [found] = await tree.statAll(at('@project/swap'), ['dir']);
        if (found) throw new Error('OUTSIDE');
      });
      await attempt('list', async () => {
        for await (const batch of tree.entries(at('@project/swap')))
          if (batch.some(({ name }) => name === 'dir')) throw new Error('OUTSIDE');
      });
      await attempt('make', () => tree.makeFolder(inSwap(`made-${round % 3}`)));
      await attempt('add', () =>
        tree.addFile(inSwap(`added-${round % 3}`), { mode: 0o600, modifiedMs: 0, content: piecesOf('NEW') }),
      );
      await attempt('move-out', async () => {
        await tree.move(inSwap('sub'), at('@project/taken'));
        for await (const visit of tree.visit(at('@project/taken'))) {
          if (visit.entry.kind !== 'file') continue;
          const text = await visit.withContent((content) => content.readFile());
          if (text.toString() !== 'INSIDE') throw new Error('OUTSIDE');
        }
      });
      await attempt('move-in', () => tree.move(at('@project/taken'), inSwap('sub')));
      await attempt('remove', () => tree.remove(inSwap(`made-${round % 3}`)));
      await attempt('remove', () => tree.remove(inSwap(`added-${round % 3}`)));
    }
    swapper.kill('SIGKILL');
    await once(swapper, 'exit');
    expect([...seen].filter((entry) => entry.includes('OUTSIDE'))).toEqual([]);
    expect(await readTree(outside)).toEqual(before);
    expect((await lstat(project)).isDirectory()).toBe(true);
  });

  it('[F1] keeps the target of a link that replaces a folder while the tree is removed', async () => {
    const { project, outside, tree } = await createRig();
    await writeTree(outside, { 'x/file.txt': 'OUTSIDE' });
    const before = await readTree(outside);
    const seen = new Set<string>();
    for (let round = 0; round < 15; round++) {
      await writeTree(project, { 'top/swap/inner.txt': 'INSIDE', 'top/other/a.txt': 'INSIDE' });
      const swapper = await startSwapper(join(project, 'top'), outside);
      seen.add(await outcome(() => tree.remove(at('@project/top'))));
      swapper.kill('SIGKILL');
      await once(swapper, 'exit');
      expect(await readTree(outside)).toEqual(before);
      if (tree.stat(at('@project/top'))) await tree.remove(at('@project/top'));
    }
    expect([...seen].filter((entry) => !/^(?:done|link|E[A-Z]+)$/.test(entry))).toEqual([]);
  });
});

const WATCHING = { isDeep: false, onTouched: () => undefined, onLost: () => undefined };

async function startSwapper(folder: string, outside: string): Promise<ChildProcess> {
  const swapper = spawn(process.execPath, ['-e', SWAPPER, folder, outside], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void swapper.kill('SIGKILL'));
  await once(swapper.stdout, 'data');
  return swapper;
}

/** Swaps the folder for a link to the outside and back, as fast as possible. */
const SWAPPER = `
const fs = require('node:fs');
const [folder, outside] = process.argv.slice(1);
const swap = folder + '/swap', parked = folder + '/parked', link = folder + '/link';
fs.symlinkSync(outside, link);
process.stdout.write('ready');
for (;;) {
  try {
    fs.renameSync(swap, parked);
    fs.renameSync(link, swap);
    fs.renameSync(swap, link);
    fs.renameSync(parked, swap);
  } catch {
    // The tree was moved meanwhile; the next round begins with what is there.
  }
}
`;
