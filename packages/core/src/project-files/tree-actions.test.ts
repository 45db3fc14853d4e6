import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileChangeSchema } from '@crewagent/protocol/api/files';
import { describe, expect, it } from 'vitest';
import { driverPath } from '../testing/driver-path.ts';
import { codeOf, openProjectFilesRig, refusalOf } from '../testing/rigs/project-files-rig.ts';
import { readTree, writeTree } from '../testing/temp-folder.ts';

const SMALL = { bytes: 1_000, entries: 10, totalBytes: 2_500 };

describe('creating, moving and removing', () => {
  it('[F8] moves and renames, and returns the change', async () => {
    const { project, files } = await openProjectFilesRig({
      content: { 'a.md': 'a', 'dir/b.md': 'b', 'to/x': '' },
    });
    await symlink('a.md', join(project, 'link'));
    const change = await files.move('@project/dir', '@project/to/dir');
    expect(fileChangeSchema.parse(change)).toEqual(change);
    expect(change).toMatchObject({
      kind: 'moved',
      path: '@project/dir',
      to: '@project/to/dir',
      isFolder: true,
    });
    await files.move('@project/a.md', '@project/A.md');
    await files.move('@project/link', '@project/to/link');
    expect(await readTree(project)).toEqual({
      'A.md': 'a',
      'to/': '',
      'to/dir/': '',
      'to/dir/b.md': 'b',
      'to/link': '-> a.md',
      'to/x': '',
    });
  });

  it('[F8] rejects a move that would overwrite, move into itself or leave the project', async () => {
    const { root, project, files } = await openProjectFilesRig({
      content: { 'a.md': 'a', 'b.md': 'b', 'dir/c': '' },
    });
    await symlink(root, join(project, 'out'));
    const before = await readTree(project);
    const codes = [
      ['@project/a.md', '@project/b.md', 'FILE_EXISTS'],
      ['@project/a.md', '@project/a.md', 'FILE_EXISTS'],
      ['@project/a.md', '@project/dir', 'FILE_EXISTS'],
      ['@project/dir', '@project/dir/sub', 'USAGE'],
      ['@project/none', '@project/x', 'FILE_NOT_FOUND'],
      ['@project/a.md', '@project/none/x', 'FILE_NOT_FOUND'],
      ['@project/a.md', '@project/b.md/x', 'FILE_NOT_FOUND'],
      ['@project/a.md', '@project/out/x', 'PermissionDenied'],
      ['@project/out/project', '@project/x', 'PermissionDenied'],
    ] as const;
    for (const [from, to, code] of codes) {
      const refused = await refusalOf(files.move(from, to));
      expect({ from, to, code: refused.code }).toEqual({ from, to, code });
      expect(refused.message).not.toContain(root);
    }
    expect(await readTree(project)).toEqual(before);
    expect(await files.changes()).toEqual([]);
  });

  it('[F3] rejects a move that would expose or hide a secret file', async () => {
    const { project, files } = await openProjectFilesRig({
      content: { '.env': 'S', 'a.txt': 'a', '.aws/config': 'S', 'sub/.env.local': 'S', 'x/y': '' },
    });
    const before = await readTree(project);
    for (const [from, to] of [
      ['.env', 'env.txt'],
      ['a.txt', 'x/.env'],
      ['.aws', 'aws'],
      ['.aws/config', 'config'],
      ['sub/.env.local', 'sub/local'],
      ['x', '.ssh'],
    ])
      expect(await codeOf(files.move(`@project/${from}`, `@project/${to}`))).toBe('PermissionDenied');
    expect(await readTree(project)).toEqual(before);
    await files.move('@project/sub', '@project/other');
    await files.move('@project/.env', '@project/x/.env');
    expect(await codeOf(files.read('@project/other/.env.local'))).toBe('PermissionDenied');
    expect(await codeOf(files.read('@project/x/.env'))).toBe('PermissionDenied');
  });

  it('[F8] removes a link and never its target', async () => {
    const { root, project, files } = await openProjectFilesRig({ content: { 'real/a.md': 'a' } });
    await writeTree(join(root, 'outside'), { 'x.md': 'x' });
    await symlink(join(root, 'outside'), join(project, 'out'));
    await symlink('real', join(project, 'in'));
    await mkdir(join(project, 'dir'));
    await symlink(join(root, 'outside'), join(project, 'dir', 'out'));
    for (const name of ['out', 'in', 'dir']) await files.remove(`@project/${name}`);
    expect(await readTree(project)).toEqual({ 'real/': '', 'real/a.md': 'a' });
    expect(await readTree(join(root, 'outside'))).toEqual({ 'x.md': 'x' });
    expect(await codeOf(files.remove('@project/out'))).toBe('FILE_NOT_FOUND');
    for (const { id } of await files.changes()) await files.undo(id);
    expect(await readTree(project)).toEqual({
      'real/': '',
      'real/a.md': 'a',
      'dir/': '',
      'dir/out': `-> ${join(root, 'outside')}`,
      in: '-> real',
      out: `-> ${join(root, 'outside')}`,
    });
  });

  it('[F8] removes entries that are too large for undo only permanently', async () => {
    const { project, files } = await openProjectFilesRig({
      undoLimits: SMALL,
      content: { 'large.bin': Buffer.alloc(1_001), 'small.bin': Buffer.alloc(900) },
    });
    for (let index = 0; index < 10; index++) await writeTree(project, { [`many/${index}`]: '' });
    await mkdir(join(project, 'odd'));
    execFileSync('mkfifo', [join(project, 'odd', 'pipe')]);
    const before = await readTree(project);
    for (const name of ['large.bin', 'many', 'odd']) {
      const refused = await refusalOf(files.remove(`@project/${name}`));
      expect(refused).toMatchObject({ code: 'FILE_TOO_LARGE', details: { isFinalNeeded: true } });
    }
    expect(await readTree(project)).toEqual(before);
    for (const name of ['large.bin', 'many', 'odd']) {
      const change = await files.remove(`@project/${name}`, { isFinal: true });
      expect(change.isUndoable).toBe(false);
      expect(await codeOf(files.undo(change.id))).toBe('FILE_CONFLICT');
    }
    expect((await files.remove('@project/small.bin')).isUndoable).toBe(true);
    expect(await readTree(project)).toEqual({});
  });

  it('[F8] keeps a tree whole if part of it cannot be removed', async () => {
    const { project, files } = await openProjectFilesRig({ content: { 'dir/a.md': 'a', 'other/b.md': 'b' } });
    await writeFile(Buffer.concat([Buffer.from(`${project}/dir/z`), Buffer.from([0xff])]), 'x');
    const refused = await refusalOf(files.remove('@project/dir', { isFinal: true }));
    expect(refused).toMatchObject({ code: 'DISK', details: { errno: 'EILSEQ' } });
    expect(await readFile(join(project, 'dir/a.md'), 'utf8')).toBe('a');
    expect(await readdir(project)).toEqual(['dir', 'other']);
  });

  it.skipIf(process.getuid?.() !== 0)(
    '[F8] keeps a tree whole if part of it belongs to another user',
    async () => {
      const { root, project } = await openProjectFilesRig({
        content: { 'dir/a.md': 'a', 'dir/foreign/b.md': 'b' },
      });
      const driver = driverPath('project-files-driver');
      // Readable for everyone.
      for (const folder of [root, dirname(dirname(driver))]) await chmod(folder, 0o755);
      for (const name of ['project', 'project/dir', 'project/dir/a.md'])
        await chown(join(root, name), 65_534, 65_534);
      await mkdir(join(root, 'store'), { recursive: true });
      await chown(join(root, 'store'), 65_534, 65_534);
      const child = spawn(process.execPath, [driver, 'remove', root, '@project/dir'], {
        uid: 65_534,
        gid: 65_534,
        cwd: '/',
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [said] = await Promise.all([once(child.stdout, 'data'), once(child, 'exit')]);
      expect(JSON.parse(String(said))).toMatchObject({ code: 'DISK' });
      expect(await readTree(project)).toEqual({
        'dir/': '',
        'dir/a.md': 'a',
        'dir/foreign/': '',
        'dir/foreign/b.md': 'b',
      });
    },
  );

  it('[F8] creates a folder with its parents, and rejects an existing name', async () => {
    const { project, files } = await openProjectFilesRig({ content: { 'a.md': '' } });
    expect(await files.createFolder('@project/x/y/z')).toMatchObject({ kind: 'created', isFolder: true });
    expect(await codeOf(files.createFolder('@project/x/y'))).toBe('FILE_EXISTS');
    expect(await codeOf(files.createFolder('@project/a.md'))).toBe('FILE_EXISTS');
    expect(await codeOf(files.createFolder('@project/a.md/b'))).toBe('FILE_NOT_FOUND');
    expect(await codeOf(files.createFile('@project/a.md'))).toBe('FILE_EXISTS');
    expect(await readTree(project)).toEqual({ 'a.md': '', 'x/': '', 'x/y/': '', 'x/y/z/': '' });
  });
});
