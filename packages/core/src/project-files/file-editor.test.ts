import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TreeStep, treeChangeSchema } from '@crewagent/protocol/file-journal';
import { journalRecordSchema } from '@crewagent/protocol/journal';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sha256Of } from '../base/sha256.ts';
import { openDiskStore } from '../store/disk/open-store.ts';
import { driverPath } from '../testing/driver-path.ts';
import { killCount } from '../testing/kill-points.ts';
import { codeOf, openProjectFilesRig, storeText } from '../testing/rigs/project-files-rig.ts';
import { SAMPLE_PROJECT_ID } from '../testing/sample-record.ts';
import { readTree, tempFolder, writeTree } from '../testing/temp-folder.ts';
import { openProjectFiles } from './open-project-files.ts';

const hashOf = (text: string): string => sha256Of(Buffer.from(text));
const SMALL = { bytes: 1_000, entries: 10, totalBytes: 2_500 };

describe('the history of file changes', () => {
  it('[F8] is private, and contains no system path', async () => {
    const { root, store, journal, files } = await openProjectFilesRig({
      content: { 'dir/a.md': 'a', 'b.md': 'b' },
    });
    await files.save({ path: '@project/b.md', text: 'B', ifMatchSha256: hashOf('b') });
    await files.move('@project/b.md', '@project/c.md');
    await files.remove('@project/dir');
    await files.createFolder('@project/new');
    for (const entry of await readdir(store.root, { recursive: true, withFileTypes: true })) {
      const { mode } = await stat(join(entry.parentPath, entry.name));
      expect({ name: entry.name, mode: mode & 0o077 }).toEqual({ name: entry.name, mode: 0 });
    }
    const text = await storeText(journal);
    expect(text).toContain('@project/dir');
    expect(text).not.toContain(root);
    expect(JSON.stringify(await files.changes())).not.toContain(root);
  });

  it('[F8] drops snapshots of older removals in favour of newer ones', async () => {
    const { project, journal, files } = await openProjectFilesRig({ undoLimits: SMALL });
    const ids: string[] = [];
    for (let index = 0; index < 4; index++) {
      await writeTree(project, { [`f${index}`]: Buffer.alloc(900, index) });
      ids.push((await files.remove(`@project/f${index}`)).id);
    }
    const changes = await files.changes();
    expect(changes.map(({ isUndoable }) => isUndoable)).toEqual([true, true, false, false]);
    expect(await codeOf(files.undo(ids[0] ?? ''))).toBe('FILE_CONFLICT');
    await files.undo(ids[3] ?? '');
    expect(await readdir(project)).toEqual(['f3']);
    const snapshots = (await readdir(join(journal, 'tree'))).filter((name) => name.endsWith('.data'));
    expect(snapshots).toHaveLength(2);
  });

  it('[F8] skips a damaged record and keeps the others', async () => {
    const { project, journal, files, open } = await openProjectFilesRig({ content: { a: 'a', b: 'b' } });
    const one = await files.remove('@project/a');
    const other = await files.remove('@project/b');
    await writeFile(join(journal, 'tree', `${one.id}.json`), '{"torn');
    const reopened = await open();
    expect((await reopened.changes()).map(({ id }) => id)).toEqual([other.id]);
    await reopened.undo(other.id);
    expect(await readTree(project)).toEqual({ b: 'b' });
  });

  it("[F12] is shared by two instances, which can undo each other's changes", async () => {
    const { project, files, open } = await openProjectFilesRig({ content: { 'a.md': 'one', b: 'b' } });
    const other = await open();
    await files.save({ path: '@project/a.md', text: 'two', ifMatchSha256: hashOf('one') });
    await other.save({ path: '@project/a.md', text: 'three', ifMatchSha256: hashOf('two') });
    await files.remove('@project/b');
    const [removed, later, earlier] = await other.changes();
    expect(await files.changes()).toEqual(await other.changes());
    await other.undo(removed?.id ?? '');
    await files.undo(later?.id ?? '');
    await other.undo(earlier?.id ?? '');
    expect(await readTree(project)).toEqual({ 'a.md': 'one', b: 'b' });
  });

  it('[F8] removes the oldest journal records when it is full', async () => {
    const { project, store, journal, files, open } = await openProjectFilesRig({ content: { 'a.md': '0' } });
    for (let count = 1; count <= 20; count++)
      await files.save({ path: '@project/a.md', text: `${count}`, ifMatchSha256: hashOf(`${count - 1}`) });
    const file = join(journal, 'journal.jsonl');
    const lines = (await readFile(file, 'utf8')).split('\n').slice(0, -1);
    // Pretends that all contents were large.
    const large = lines.map((line) => {
      const record = journalRecordSchema.parse(JSON.parse(line));
      const grown = (image: object | null) => image && { ...image, bytes: 10 * 1_048_576 };
      return 'before' in record
        ? { ...record, before: grown(record.before), after: grown(record.after) }
        : record;
    });
    await writeFile(file, large.map((record) => `${JSON.stringify(record)}\n`).join(''));
    const recorded = await store.fileChanges(SAMPLE_PROJECT_ID);
    await recorded.use(({ pruneJournal }) => pruneJournal());
    const retained = (await readFile(file, 'utf8')).split('\n').slice(0, -1);
    expect(retained).toEqual(large.slice(-retained.length).map((record) => JSON.stringify(record)));
    expect(retained.length).toBeLessThan(lines.length);
    expect(retained.length).toBeGreaterThanOrEqual(16);
    await writeFile(
      file,
      lines
        .slice(-retained.length)
        .map((line) => `${line}\n`)
        .join(''),
    );
    const reopened = await open();
    const changes = await reopened.changes();
    expect(changes.length).toBeLessThan(20);
    for (const { id } of changes) await reopened.undo(id);
    expect(await readFile(join(project, 'a.md'), 'utf8')).toBe(`${20 - changes.length}`);
    const blobs = await readdir(join(journal, 'blobs'));
    expect(blobs).toHaveLength(changes.length + 1);
  });
});

describe('a pending step', () => {
  it('[F12] is settled when the project folder is back, not while it is missing', async () => {
    const { project, journal, files, open } = await openProjectFilesRig({
      content: { 'dir/a.md': 'a', 'b.md': 'b' },
    });
    const removed = await files.remove('@project/b.md');
    const change = treeChangeSchema.parse(
      JSON.parse(await readFile(join(journal, 'tree', `${removed.id}.json`), 'utf8')),
    );
    const id = '01890a5d-ac96-774b-bcce-b302099a8057';
    const stage = '.removing-1-0123456789abcdef';
    const step: TreeStep = {
      schemaVersion: 1,
      direction: 'do',
      stage,
      change: { ...change, id, path: '@project/dir', isFolder: true } as TreeStep['change'],
    };
    const file = join(journal, 'tree', `${id}.step.json`);
    await writeFile(file, JSON.stringify(step));
    await rename(join(project, 'dir'), join(project, stage));
    await rename(project, `${project}-away`);
    await open();
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(step);
    await rename(`${project}-away`, project);
    const back = await open();
    expect(await readTree(project)).toEqual({});
    expect((await back.changes()).map(({ path }) => path)).toEqual(['@project/b.md', '@project/dir']);
    for (const each of await back.changes()) await back.undo(each.id);
    expect(await readTree(project)).toEqual({ 'b.md': 'b', 'dir/': '', 'dir/a.md': 'a' });
  });

  it('[F12] removes the parents of a folder whose creation was being undone', async () => {
    const { project, journal, files, open } = await openProjectFilesRig({ content: {} });
    const created = await files.createFolder('@project/made/here');
    const change = treeChangeSchema.parse(
      JSON.parse(await readFile(join(journal, 'tree', `${created.id}.json`), 'utf8')),
    );
    const step: TreeStep = {
      schemaVersion: 1,
      direction: 'undo',
      stage: '.restoring-1-0123456789abcdef',
      change: { ...change, isUndone: true },
    };
    await writeFile(join(journal, 'tree', `${created.id}.step.json`), JSON.stringify(step));
    await rm(join(project, 'made/here'), { recursive: true });
    const again = await open();
    expect(await readTree(project)).toEqual({});
    expect((await again.changes()).map(({ isUndone }) => isUndone)).toEqual([true]);
  });

  it('[F8] keeps the latest change first, even if the clock was set back', async () => {
    const { root, project, files, open } = await openProjectFilesRig({ content: { 'a.md': '' } });
    await files.move('@project/a.md', '@project/b.md');
    const past = await openProjectFiles({
      store: openDiskStore(join(root, 'store')),
      project: { projectId: SAMPLE_PROJECT_ID, path: project },
      now: () => new Date('2001-01-01'),
    });
    await past.move('@project/b.md', '@project/c.md');
    await past.createFile('@project/d.md');
    const changes = await (await open()).changes();
    expect(changes.map(({ path }) => path)).toEqual(['@project/d.md', '@project/b.md', '@project/a.md']);
  });
});

describe('separate processes', () => {
  const ORIGIN = {
    'dir/a.md': 'a',
    'dir/sub/b.bin': Buffer.alloc(200_000, 'b'),
    'dir/sub/c.md': 'c',
    'stay.md': 's',
  };

  function start(driver: string, ...args: string[]): ChildProcess {
    const child = spawn(process.execPath, [driver, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  }

  /** Runs the driver until this many file events have occurred, then kills it. */
  async function killedAfter(events: number, driver: string, root: string, journal: string): Promise<void> {
    const child = start(driver, 'change forever', root);
    let left = events;
    const watchers = [join(root, 'project'), journal, join(journal, 'tree')].map((folder) =>
      watch(folder, () => {
        left--;
        if (left === 0) child.kill('SIGKILL');
      }),
    );
    const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
    for (const watcher of watchers) watcher.close();
    expect(signal).toBe('SIGKILL');
  }

  it('[F12] killed at any moment leave changes that can all be undone', async () => {
    const root = await tempFolder();
    const { project, journal } = await openProjectFilesRig({ root, content: ORIGIN });
    await mkdir(join(journal, 'tree'), { recursive: true });
    const origin = await readTree(project);
    const driver = driverPath('project-files-driver');
    for (let kills = killCount(12); kills > 0; kills--) {
      await killedAfter(1 + Math.floor(Math.random() * 250), driver, root, journal);
      const { files } = await openProjectFilesRig({ root });
      const names = await readdir(project, { recursive: true });
      expect(names.filter((name) => /\.(?:removing|restoring|writing)-/.test(name))).toEqual([]);
      const applied = (await files.changes()).filter(({ isUndone }) => !isUndone);
      for (const { id } of applied) await files.undo(id);
      expect(await readTree(project)).toEqual(origin);
      for (const { id } of applied.toReversed()) await files.redo(id);
      for (const { id } of applied) await files.undo(id);
      expect(await readTree(project)).toEqual(origin);
    }
    const left = await readdir(journal, { recursive: true });
    expect(left.filter((name) => name.includes('.step.') || name.includes('.writing-'))).toEqual([]);
  }, 240_000);

  it('[F12] that save the same file lose nothing', async () => {
    const { root, project, files } = await openProjectFilesRig({ content: { 'shared.md': '' } });
    const driver = driverPath('project-files-driver');
    const children = ['one', 'two'].map((text) => start(driver, 'append', root, '15', text));
    for (const [code] of await Promise.all(children.map((child) => once(child, 'exit'))))
      expect(code).toBe(0);
    const lines = (await readFile(join(project, 'shared.md'), 'utf8')).split('\n').slice(0, -1);
    expect(lines.filter((line) => line === 'one')).toHaveLength(15);
    expect(lines.filter((line) => line === 'two')).toHaveLength(15);
    for (const { id } of await files.changes()) await files.undo(id);
    expect(await readTree(project)).toEqual({ 'shared.md': '' });
  }, 120_000);
});
