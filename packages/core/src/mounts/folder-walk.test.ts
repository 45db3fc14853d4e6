import { lstatSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errnoOf } from '../base/errno.ts';
import { tempFolder, writeTree } from '../testing/temp-folder.ts';
import { enterFolder, pathIn, type WalkOptions, walk } from './folder-walk.ts';
import { SandboxViolation } from './sandbox-violation.ts';

const MODES: [what: string, isHeld: boolean][] = [['named by path', false]];
// The default on this system.
if (process.platform === 'linux') MODES.unshift(['held open', true]);

async function createRoot(): Promise<string> {
  const base = await tempFolder();
  const root = join(base, 'root');
  await writeTree(base, {
    'outside/file.md': 'OUTSIDE',
    'root/a/b/file.md': 'inside',
    'root/file.md': 'top',
  });
  return root;
}

describe.each(MODES)('a walk through folders %s', (_, isHeld) => {
  /** Resolved path and file content, or the error. */
  function outcome(root: string, path: string, options: WalkOptions = {}): string {
    try {
      const openPath = walk(root, path.split('/'), { ...options, isHeld });
      try {
        openPath.verify();
        const stats = lstatSync(openPath.filePath, { throwIfNoEntry: false });
        const content = stats?.isFile()
          ? readFileSync(openPath.filePath, 'utf8')
          : ((stats && 'other') ?? 'nothing');
        return `${openPath.segments.join('/')}: ${content}`;
      } finally {
        openPath.close();
      }
    } catch (error) {
      return error instanceof SandboxViolation ? error.reason : (errnoOf(error) ?? String(error));
    }
  }

  it('[M4] follows links that stay inside the mount', async () => {
    const root = await createRoot();
    const links: [at: string, target: string][] = [
      ['a/same', 'b'],
      ['a/up', '../a/b'],
      ['a/b/whole', join(root, 'a')],
      ['a/b/top', join(root, 'file.md')],
      ['a/b/root', root],
      ['a/slashes', './/b/.'],
      ['a/b/file-link', '../b/file.md'],
      ['..notes', 'a'],
      ['a/dotted', join(root, '..notes', 'b')],
      ['a/C:x', 'b'],
      ['a/drive', 'C:x'],
      ['a/back\\slash', 'b'],
      ['a/slashed', 'back\\slash'],
      ['a/later', 'b/none/.'],
      ['a/later-too', './b//none//'],
    ];
    for (const [at, target] of links) await symlink(target, join(root, at));
    for (const path of [
      'a/same/file.md',
      'a/up/file.md',
      'a/b/whole/b/file.md',
      'a/b/root/a/b/file.md',
      'a/slashes/file.md',
      'a/b/file-link',
      'a/dotted/file.md',
      'a/drive/file.md',
      'a/slashed/file.md',
      '..notes/same/file.md',
    ])
      expect({ path, leads: outcome(root, path) }).toEqual({ path, leads: 'a/b/file.md: inside' });
    expect(outcome(root, 'a/b/top')).toBe('file.md: top');
    expect(outcome(root, 'a/slashes')).toBe('a/b: other');
    expect(outcome(root, 'a/b/root')).toBe(': other');
    expect(outcome(root, 'a/slashes', { enterLast: true })).toBe('a/b: other');
    for (const path of ['a/b/none', 'a/later', 'a/later-too'])
      expect(outcome(root, path)).toBe('a/b/none: nothing');
  });

  it('[M4] rejects links that leave the mount, along the path and at its end', async () => {
    const root = await createRoot();
    const targets = [
      '..',
      '../outside',
      join(root, '..', 'outside'),
      '/',
      `${root}-2`,
      'a/../../outside',
      '../root/../outside',
    ];
    for (const [index, target] of targets.entries()) {
      await symlink(target, join(root, `out${index}`));
      for (const path of [`out${index}`, `out${index}/file.md`, `out${index}/x/y`]) {
        expect({ target, path, leads: outcome(root, path) }).toEqual({ target, path, leads: 'link' });
        expect(outcome(root, path, { enterLast: true })).toBe('link');
        expect(outcome(root, path, { makeFolders: true })).toBe('link');
      }
    }
  });

  it('[M4] follows at most 32 links', async () => {
    const root = await createRoot();
    await symlink('a', join(root, 'l1'));
    for (let count = 2; count <= 33; count++) await symlink(`l${count - 1}`, join(root, `l${count}`));
    expect(outcome(root, 'l32/b/file.md')).toBe('a/b/file.md: inside');
    expect(outcome(root, 'l33/b/file.md')).toBe('link');
  });

  it('[F1] follows no links if exact: rejects a link along the path, returns a link at its end', async () => {
    const root = await createRoot();
    await symlink('b', join(root, 'a', 'link'));
    expect(outcome(root, 'a/link/file.md', { isExact: true })).toBe('link');
    expect(outcome(root, 'a/link', { isExact: true })).toBe('a/link: other');
    expect(outcome(root, 'a/link', { isExact: true, enterLast: true })).toBe('link');
    expect(outcome(root, 'a/b/file.md', { isExact: true })).toBe('a/b/file.md: inside');
  });

  it('[M10] creates missing folders only on request, and never over a file', async () => {
    const root = await createRoot();
    expect(outcome(root, 'a/x/y/z')).toBe('ENOENT');
    expect(outcome(root, 'file.md/x')).toBe('ENOTDIR');
    expect(outcome(root, 'file.md/x/y', { makeFolders: true })).toBe('ENOTDIR');
    expect(outcome(root, 'file.md', { enterLast: true })).toBe('ENOTDIR');
    expect(outcome(root, 'a/x/y/z', { makeFolders: true })).toBe('a/x/y/z: nothing');
    expect(readdirSync(join(root, 'a', 'x'))).toEqual(['y']);
    const openPath = walk(root, ['a', 'made', 'z'], { makeFolders: true, isHeld });
    expect(openPath.folderDescriptor === null).toBe(!isHeld);
    openPath.close();
  });

  it('[M1] accepts a link as root, but not a missing root', async () => {
    const root = await createRoot();
    await symlink(root, `${root}-link`);
    expect(outcome(`${root}-link`, 'a/b/file.md')).toBe('a/b/file.md: inside');
    expect(outcome(`${root}-link`, '')).toBe(': other');
    expect(outcome(`${root}-none`, 'a')).toBe('ENOENT');
    const openPath = walk(root, [], { isHeld });
    expect(openPath).toMatchObject({ segments: [], name: undefined, filePath: openPath.folderPath });
    openPath.close();
  });

  it('[M4] stays at the folder it reached, or reports that it was swapped', async () => {
    const root = await createRoot();
    await writeTree(root, { 'a/b/inner/file.md': 'inside' });
    const openPath = walk(root, ['a', 'b', 'file.md'], { isHeld });
    const outer = walkTo(root, 'a/b');
    const inner = enterFolder(outer, 'inner');
    openPath.verify();
    inner.verify();
    renameSync(join(root, 'a', 'b'), join(root, 'parked'));
    symlinkSync(join(root, '..', 'outside'), join(root, 'a', 'b'));
    for (const { filePath, verify } of [openPath, { ...inner, filePath: pathIn(inner, 'file.md') }]) {
      if (isHeld) {
        verify();
        expect(readFileSync(filePath, 'utf8')).toBe('inside');
      } else expect(verify).toThrow(SandboxViolation);
    }
    inner.close();
    outer.close();
    openPath.close();
  });

  it('[M4] reports that a folder was replaced', async () => {
    const root = await createRoot();
    const openPath = walk(root, ['a', 'b', 'file.md'], { isHeld });
    renameSync(join(root, 'a'), join(root, 'parked'));
    await writeTree(root, { 'a/b/file.md': 'another' });
    if (isHeld) expect(readFileSync(openPath.filePath, 'utf8')).toBe('inside');
    else expect(() => openPath.verify()).toThrow(SandboxViolation);
    openPath.close();
  });

  it('[F1] enters a subfolder only if it is still a folder', async () => {
    const root = await createRoot();
    await symlink('b', join(root, 'a', 'link'));
    writeFileSync(join(root, 'a', 'plain'), 'x');
    const openPath = walkTo(root, 'a');
    const entered = enterFolder(openPath, 'b');
    expect(entered.segments).toEqual(['a', 'b']);
    expect(readdirSync(entered.folderPath)).toEqual(['file.md']);
    expect(entered.filePath).toBe(entered.folderPath);
    expect(entered.folderDescriptor === null).toBe(!isHeld);
    entered.close();
    for (const name of ['link', 'plain'])
      expect(() => enterFolder(openPath, name)).toThrow(expect.objectContaining({ reason: 'link' }) as Error);
    const swapped = enterFolder(openPath, 'b');
    renameSync(join(root, 'a', 'b'), join(root, 'parked'));
    await writeTree(root, { 'a/b/file.md': 'another' });
    if (isHeld) expect(readFileSync(pathIn(swapped, 'file.md'), 'utf8')).toBe('inside');
    else expect(() => swapped.verify()).toThrow(SandboxViolation);
    swapped.close();
    expect(() => enterFolder(openPath, 'none')).toThrow(expect.objectContaining({ code: 'ENOENT' }) as Error);
    openPath.close();
  });

  function walkTo(root: string, path: string) {
    return walk(root, path.split('/'), { isHeld, enterLast: true });
  }
});
