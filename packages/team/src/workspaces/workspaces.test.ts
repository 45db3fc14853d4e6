import { mkdirSync, readdirSync, readlinkSync, statSync, symlinkSync } from 'node:fs';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { canMount, mountSmallDisk } from '../../../core/src/testing/small-disk.ts';
import { readTree, tempFolder } from '../../../core/src/testing/temp-folder.ts';
import { openWorkspaceRig, type WorkspaceRig } from '../testing/workspace-rig.ts';
import type { Workspaces } from './workspaces.ts';

/** A project with these files. */
async function projectWith(
  rig: WorkspaceRig,
  workspaces: Workspaces,
  files: Record<string, string>,
): Promise<string> {
  const projectId = await rig.createProject();
  await workspaces.edit(projectId, 'ann', async (folder) => {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(join(folder, path, '..'), { recursive: true });
      await writeFile(join(folder, path), text);
    }
  });
  return projectId;
}

/** Without the folders. */
async function filesIn(folder: string): Promise<Record<string, string>> {
  return Object.fromEntries(Object.entries(await readTree(folder)).filter(([path]) => !path.endsWith('/')));
}

const claimOf = (rootId: string) => ({ rootId, epoch: '1' });

it('gives a run the files of its project, and the project what the run changed', async () => {
  const rig = await openWorkspaceRig();
  const workspaces = await rig.openWorkspaces();
  const projectId = await projectWith(rig, workspaces, {
    'a.md': 'a\n',
    'docs/b.md': 'b\n',
    'docs/c.md': 'c\n',
  });
  const workspace = await workspaces.checkOut(await rig.createWork(projectId));
  expect(await filesIn(workspace.folder)).toEqual({ 'a.md': 'a\n', 'docs/b.md': 'b\n', 'docs/c.md': 'c\n' });

  await rig.change(workspace, 'a.md', 'A\n');
  await rig.change(workspace, 'docs/b.md', undefined);
  await rig.change(workspace, 'new/run.sh', '#!/bin/sh\n', 0o755);
  const checkedIn = await workspace.checkIn(claimOf(workspace.rootId));
  expect(checkedIn).toEqual({ version: 2, merged: [], conflicts: [] });
  expect(await workspace.checkIn(claimOf(workspace.rootId))).toEqual({
    version: 2,
    merged: [],
    conflicts: [],
  });

  const head = await workspaces.readHead(projectId);
  expect(await filesIn(head)).toEqual({ 'a.md': 'A\n', 'docs/c.md': 'c\n', 'new/run.sh': '#!/bin/sh\n' });
  expect(statSync(join(head, 'new/run.sh')).mode & 0o777).toBe(0o555);
  expect(statSync(join(head, 'a.md')).mode & 0o777).toBe(0o444);
});

it('continues on another machine with what the dead one had stored, and nothing else', async () => {
  const rig = await openWorkspaceRig();
  const first = await rig.openWorkspaces();
  const projectId = await projectWith(rig, first, { 'a.md': 'a\n', 'b.md': 'b\n' });
  const workId = await rig.createWork(projectId);
  const dead = await first.checkOut(workId);
  await rig.change(dead, 'a.md', 'changed\n');
  await writeFile(join(dead.folder, 'b.md'), 'written before the commit\n');
  await first.edit(projectId, 'ann', (folder) => writeFile(join(folder, 'c.md'), 'later\n'));

  const continued = await (await rig.openWorkspaces()).checkOut(workId);
  expect(await filesIn(continued.folder)).toEqual({ 'a.md': 'changed\n', 'b.md': 'b\n' });
  await continued.checkIn(claimOf(workId));
  expect(await filesIn(continued.folder)).toEqual({ 'a.md': 'changed\n', 'b.md': 'b\n', 'c.md': 'later\n' });
});

it('makes an earlier copy equal to the project, whatever was left in it', async () => {
  const rig = await openWorkspaceRig();
  const scratch = await tempFolder();
  const workspaces = await rig.openWorkspaces({ scratch });
  const files = { 'a.md': 'aaaa\n', 'docs/b.md': 'b\n', 'x/y/z.md': 'z\n' };
  const projectId = await projectWith(rig, workspaces, files);
  const workspace = await workspaces.checkOut(await rig.createWork(projectId));
  const { folder } = workspace;
  const outside = await tempFolder();
  await writeFile(join(folder, 'a.md'), 'bbbb\n');
  await rm(join(folder, 'docs'), { recursive: true });
  symlinkSync(outside, join(folder, 'docs'));
  await rm(join(folder, 'x/y'), { recursive: true });
  await writeFile(join(folder, 'x/y'), 'a file');
  mkdirSync(join(folder, 'more/empty'), { recursive: true });
  await workspace.remove();

  const next = await workspaces.checkOut(await rig.createWork(projectId));
  expect(next.folder).toBe(folder);
  expect(await filesIn(folder)).toEqual(files);
  expect(readdirSync(folder).sort()).toEqual(['a.md', 'docs', 'x']);
  expect(readdirSync(outside)).toEqual([]);
  await next.remove();
  // Another process with the same scratch folder.
  const restarted = await (await rig.openWorkspaces({ scratch })).checkOut(await rig.createWork(projectId));
  expect(restarted.folder).toBe(folder);
  expect(await filesIn(folder)).toEqual(files);
});

it('[F15] brings the copy of readers up to date when another server adds a version, before anybody asks', async () => {
  const rig = await openWorkspaceRig();
  const [ours, theirs] = [await rig.openWorkspaces(), await rig.openWorkspaces()];
  const projectId = await projectWith(rig, theirs, { 'a.md': 'a\n' });
  const head = await ours.readHead(projectId);
  for (const text of ['b\n', 'c\n']) {
    await theirs.edit(projectId, 'ann', (folder) => writeFile(join(folder, 'new.md'), text));
    await expect.poll(() => filesIn(head)).toEqual({ 'a.md': 'a\n', 'new.md': text });
  }
});

it('[F15] writes nothing to the copy of readers once it is closed, also if it was just refreshing it', async () => {
  const rig = await openWorkspaceRig();
  const [ours, theirs, others] = [
    await rig.openWorkspaces(),
    await rig.openWorkspaces(),
    await rig.openWorkspaces(),
  ];
  const projectId = await projectWith(rig, theirs, { 'a.md': 'a\n' });
  const [head, followed] = [await ours.readHead(projectId), await others.readHead(projectId)];
  const names = Array.from({ length: 200 }, (_, index) => `${index}.md`);
  const edit = (text: string) =>
    theirs.edit(projectId, 'ann', async (folder) => {
      for (const name of names) await writeFile(join(folder, name), text);
    });
  await edit('first\n');
  await expect.poll(() => readdirSync(head).length, { interval: 1 }).toBeGreaterThan(1);
  await ours.close();
  const closed = await filesIn(head);
  expect(Object.keys(closed)).toHaveLength(names.length + 1);
  await edit('second\n');
  await expect.poll(async () => (await filesIn(followed))['199.md']).toBe('second\n');
  expect(await filesIn(head)).toEqual(closed);
});

it('refreshes the copy of readers by what changed, and repairs it if somebody has written to it', async () => {
  const rig = await openWorkspaceRig();
  const workspaces = await rig.openWorkspaces();
  const projectId = await projectWith(rig, workspaces, { 'a/b/c.md': 'c\n', 'd.md': 'd\n', 'e.sh': 'e\n' });
  const edit = (work: (folder: string) => Promise<void>) => workspaces.edit(projectId, 'ann', work);
  const head = await workspaces.readHead(projectId);
  await edit(async (folder) => {
    await rm(join(folder, 'a'), { recursive: true });
    await writeFile(join(folder, 'a'), 'a file now\n');
    await rm(join(folder, 'd.md'));
    await mkdir(join(folder, 'd.md/deep'), { recursive: true });
    await writeFile(join(folder, 'd.md/deep/x'), 'x\n');
    await chmod(join(folder, 'e.sh'), 0o755);
  });
  expect(await workspaces.readHead(projectId)).toBe(head);
  expect(await filesIn(head)).toEqual({ a: 'a file now\n', 'd.md/deep/x': 'x\n', 'e.sh': 'e\n' });
  expect(statSync(join(head, 'e.sh')).mode & 0o777).toBe(0o555);
  await edit((folder) => rm(join(folder, 'd.md'), { recursive: true }));
  await workspaces.readHead(projectId);
  expect(readdirSync(head).sort()).toEqual(['a', 'e.sh']);

  await mkdir(join(head, 'a-folder'));
  await writeFile(join(head, 'a-folder/planted'), 'x');
  await edit(async (folder) => {
    await mkdir(join(folder, 'a-folder'));
    await writeFile(join(folder, 'a-folder/own'), 'own\n');
  });
  await workspaces.readHead(projectId);
  await edit((folder) => rm(join(folder, 'a-folder'), { recursive: true }));
  await workspaces.readHead(projectId);
  expect(readdirSync(head).sort()).toEqual(['a', 'e.sh']);
});

it('keeps links, empty folders and the executable bit', async () => {
  const rig = await openWorkspaceRig();
  const workspaces = await rig.openWorkspaces();
  const projectId = await rig.createProject();
  await workspaces.edit(projectId, 'ann', async (folder) => {
    await mkdir(join(folder, 'empty'));
    await writeFile(join(folder, 'tool'), 'x');
    await chmod(join(folder, 'tool'), 0o700);
    symlinkSync('tool', join(folder, 'link'));
  });
  const { folder } = await (await rig.openWorkspaces()).checkOut(await rig.createWork(projectId));
  expect(readdirSync(folder).sort()).toEqual(['empty', 'link', 'tool']);
  expect(readlinkSync(join(folder, 'link'))).toBe('tool');
  expect(statSync(join(folder, 'tool')).mode & 0o777).toBe(0o755);
  await workspaces.edit(projectId, 'ann', (copy) => chmod(join(copy, 'tool'), 0o600));
  expect(statSync(join(await workspaces.readHead(projectId), 'tool')).mode & 0o777).toBe(0o444);
});

it('combines changes of different lines, and asks about changes of the same lines', async () => {
  const rig = await openWorkspaceRig();
  const workspaces = await rig.openWorkspaces();
  const lines = 'one\ntwo\nthree\nfour\nfive\n';
  const projectId = await projectWith(rig, workspaces, {
    'far.md': lines,
    'same.md': lines,
    'gone.md': 'x\n',
    bin: 'a\0b',
  });
  const [first, second] = [
    await workspaces.checkOut(await rig.createWork(projectId)),
    await workspaces.checkOut(await rig.createWork(projectId)),
  ];
  for (const [workspace, name, far] of [
    [first, 'FIRST', 'one'],
    [second, 'SECOND', 'five'],
  ] as const) {
    await rig.change(workspace, 'far.md', lines.replace(far, name));
    await rig.change(workspace, 'same.md', lines.replace('three', name));
    await rig.change(workspace, 'bin', `${name}\0`);
  }
  await rig.change(first, 'gone.md', undefined);
  await rig.change(second, 'gone.md', 'changed\n');
  await first.checkIn(claimOf(first.rootId));
  const { merged, conflicts, version } = await second.checkIn(claimOf(second.rootId));
  expect(version).toBe(3);
  expect(merged).toEqual(['far.md']);
  expect(conflicts.map(({ path, reason }) => [path, reason])).toEqual([
    ['bin', 'binary'],
    ['gone.md', 'deleted'],
    ['same.md', 'lines'],
  ]);
  expect(await filesIn(second.folder)).toEqual({
    bin: 'FIRST\0',
    'far.md': 'FIRST\ntwo\nthree\nfour\nSECOND\n',
    'same.md': lines.replace('three', 'FIRST'),
  });

  const [bin, gone, same] = await workspaces.listConflicts(projectId);
  if (!bin || !gone || !same) throw new Error('there are three conflicts');
  const resolve = { projectId, by: 'ann' };
  await workspaces.resolveConflict({
    ...resolve,
    conflictId: bin.conflictId,
    resolution: { take: 'both', path: 'bin-2' },
  });
  await workspaces.resolveConflict({ ...resolve, conflictId: gone.conflictId, resolution: { take: 'ours' } });
  await workspaces.resolveConflict({
    ...resolve,
    conflictId: same.conflictId,
    resolution: { take: 'text', text: 'both\n' },
  });
  expect(await workspaces.listConflicts(projectId)).toEqual([]);
  await expect(
    workspaces.resolveConflict({ ...resolve, conflictId: same.conflictId, resolution: { take: 'theirs' } }),
  ).rejects.toMatchObject({ code: 'FILE_CONFLICT' });
  expect(await filesIn(await workspaces.readHead(projectId))).toEqual({
    bin: 'FIRST\0',
    'bin-2': 'SECOND\0',
    'far.md': 'FIRST\ntwo\nthree\nfour\nSECOND\n',
    'gone.md': 'changed\n',
    'same.md': 'both\n',
  });
});

it('stores nothing after the claim was lost', async () => {
  const rig = await openWorkspaceRig();
  const workspaces = await rig.openWorkspaces();
  const projectId = await projectWith(rig, workspaces, { 'a.md': 'a\n' });
  const workspace = await workspaces.checkOut(await rig.createWork(projectId));
  await rig.change(workspace, 'a.md', 'mine\n');
  await rig.database.write('update claims set epoch = 2');
  await expect(workspace.checkIn(claimOf(workspace.rootId))).rejects.toMatchObject({ code: 'RUN_LOCKED' });
  expect(await filesIn(await workspaces.readHead(projectId))).toEqual({ 'a.md': 'a\n' });
  expect(await workspace.checkIn({ rootId: workspace.rootId, epoch: '2' })).toMatchObject({ version: 2 });
});

it('keeps the data of a repository that a run makes out of the project', async () => {
  const rig = await openWorkspaceRig();
  const workspaces = await rig.openWorkspaces();
  const projectId = await projectWith(rig, workspaces, { 'a.md': 'a\n' });
  const workId = await rig.createWork(projectId);
  const workspace = await workspaces.checkOut(workId);
  await rig.change(workspace, '.git/HEAD', 'ref: x\n');
  await rig.change(workspace, 'b.md', 'b\n');
  await workspace.checkIn(claimOf(workId));
  expect(await filesIn(await workspaces.readHead(projectId))).toEqual({ 'a.md': 'a\n', 'b.md': 'b\n' });
  const elsewhere = await (await rig.openWorkspaces()).checkOut(workId);
  expect(await filesIn(elsewhere.folder)).toEqual({ '.git/HEAD': 'ref: x\n', 'a.md': 'a\n', 'b.md': 'b\n' });
});

it('refuses a change of a person that cannot be merged, and paths that not every system has', async () => {
  const rig = await openWorkspaceRig();
  const workspaces = await rig.openWorkspaces({ limits: { files: 3, fileBytes: 100 } });
  const projectId = await projectWith(rig, workspaces, { 'a.md': 'a\n' });
  const edit = (path: string, text: string) =>
    workspaces.edit(projectId, 'ann', (folder) => writeFile(join(folder, path), text));
  await expect(
    workspaces.edit(projectId, 'ann', async (folder) => {
      await edit('a.md', 'of ann\n');
      await writeFile(join(folder, 'a.md'), 'of ben\n');
    }),
  ).rejects.toMatchObject({ code: 'FILE_CONFLICT' });
  await expect(edit('A.md', 'x')).rejects.toMatchObject({ code: 'FILE_CONFLICT' });
  await expect(edit('con', 'x')).rejects.toMatchObject({ code: 'USAGE' });
  await expect(edit('large', 'x'.repeat(101))).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' });
  await edit('b', 'x');
  await edit('c', 'x');
  await expect(edit('d', 'x')).rejects.toMatchObject({ code: 'USAGE' });
  expect(await filesIn(await workspaces.readHead(projectId))).toEqual({
    'a.md': 'of ann\n',
    b: 'x',
    c: 'x',
  });
});

it('works in a shared folder itself', async () => {
  const rig = await openWorkspaceRig();
  const workspaces = await rig.openWorkspaces();
  const path = await tempFolder();
  const projectId = await rig.createProject({ kind: 'folder', path });
  const workspace = await workspaces.checkOut(await rig.createWork(projectId));
  expect([workspace.folder, await workspaces.readHead(projectId)]).toEqual([path, path]);
  await rig.change(workspace, 'a.md', 'a\n');
  await workspace.checkIn(claimOf(workspace.rootId));
  await workspace.remove();
  await workspaces.edit(projectId, 'ann', (folder) => writeFile(join(folder, 'b.md'), 'b\n'));
  expect(await filesIn(path)).toEqual({ 'a.md': 'a\n', 'b.md': 'b\n' });
  expect(await rig.database.read('select from workspace_files')).toEqual([]);
});

it.runIf(canMount)('a check-out on a full disk says so, and the next one is complete', async () => {
  const rig = await openWorkspaceRig();
  const files = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`f${index}`, `${index}\n`.repeat(8_000)]),
  );
  const projectId = await projectWith(rig, await rig.openWorkspaces(), files);
  const scratch = await tempFolder();
  const { change } = mountSmallDisk(scratch, 'size=300k');
  const workspaces = await rig.openWorkspaces({ scratch });
  const workId = await rig.createWork(projectId);
  await expect(workspaces.checkOut(workId)).rejects.toMatchObject({ code: 'DISK' });
  change('size=8m');
  expect(await filesIn((await workspaces.checkOut(workId)).folder)).toEqual(files);
});
