import { mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseStagingName } from '../../base/staging.ts';
import { SandboxViolation } from '../../mounts/sandbox-violation.ts';
import { type JournalRig, type JournalRigOptions, openJournalRig } from '../../testing/rigs/journal-rig.ts';
import { readTree, tempFolder, writeTree } from '../../testing/temp-folder.ts';
import { readFileImages } from './journal-images.ts';

interface Bench extends JournalRig {
  /** Writes or removes a file, as a tool does. */
  change(path: string, content: string | undefined, callId?: string): Promise<void>;
}

async function openBench(root: string, adapt?: JournalRigOptions['adapt']): Promise<Bench> {
  for (const name of ['pkg', 'state', 'outside']) await mkdir(join(root, name), { recursive: true });
  const rig = await openJournalRig(root, adapt ? { adapt } : {});
  const { project, files, journal } = rig;
  return {
    ...rig,
    async change(path, content, callId = 'c') {
      const before = await readFile(join(project, path)).catch(() => undefined);
      const after = content === undefined ? undefined : Buffer.from(content);
      const mode = before && (await stat(join(project, path))).mode & 0o777;
      const { tempName, done } = await journal.begin({
        callId,
        path: `@project/${path}`,
        before,
        mode,
        after,
      });
      const target = { mount: '@project', segments: path.split('/') } as const;
      if (after) await files.replace(target, after, { tempName });
      else await files.remove(target);
      await done();
    },
  };
}

const intended = (path: string, before: string | undefined, after: string | undefined) => ({
  callId: 'c',
  path,
  before: before === undefined ? undefined : Buffer.from(before),
  mode: undefined,
  after: after === undefined ? undefined : Buffer.from(after),
});

const ALL = { all: true } as const;

async function logLines(root: string): Promise<string[]> {
  return (await readFile(join(root, 'journal/journal.jsonl'), 'utf8')).trim().split('\n');
}

describe('a recorded change', () => {
  it('[J1] must be of a project file, with a content before or after it', async () => {
    const { journal } = await openBench(await tempFolder());
    await expect(journal.begin(intended('@project/a.md', undefined, undefined))).rejects.toThrow(
      'before or after',
    );
    await expect(journal.begin(intended('@pkg/a.md', undefined, 'x'))).rejects.toThrow('only project files');
    await expect(journal.begin(intended('@project/.env', undefined, 'x'))).rejects.toThrow(SandboxViolation);
    expect(journal.list()).toEqual([]);
  });

  it('[J8] has an increasing number, also across restarts', async () => {
    const root = await tempFolder();
    for (const round of [1, 2]) {
      const bench = await openBench(root);
      for (const text of ['a', 'b', 'c']) await bench.change('a.md', `${text}${round}`);
    }
    const ids = (await openBench(root)).journal.list().map(({ changeId }) => changeId);
    expect(ids).toHaveLength(6);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
  });

  it('[J8] has a unique number if several begin at once', async () => {
    const { journal } = await openBench(await tempFolder());
    const paths = ['@project/a.md', '@project/b.md', '@project/c.md'];
    const begun = await Promise.all(paths.map((path) => journal.begin(intended(path, undefined, 'x'))));
    for (const { done } of begun) await done();
    expect(journal.list().map(({ changeId }) => changeId)).toEqual([1, 2, 3]);
  });

  it('[J8] is not found by another number', async () => {
    const { root, journal } = await openBench(await tempFolder());
    await (await journal.begin(intended('@project/a.md', undefined, 'x'))).done();
    const query = { path: '@project/a.md', changeId: 99, maxBytes: 100 };
    expect(await readFileImages(join(root, 'journal'), query)).toBeUndefined();
  });

  it('[J1] is settled once', async () => {
    const { root, project, journal } = await openBench(await tempFolder());
    const { done, abandon } = await journal.begin(intended('@project/a.md', undefined, 'x'));
    await writeFile(join(project, 'a.md'), 'x');
    await done();
    await done();
    await abandon();
    expect((await logLines(root)).filter((line) => line.includes('"step.'))).toHaveLength(1);
  });

  it('[J5] uses temp names that are swept when the process is dead', async () => {
    const { journal } = await openBench(await tempFolder());
    const { tempName } = await journal.begin(intended('@project/a.md', undefined, 'x'));
    expect(parseStagingName(tempName)).toEqual({ kind: 'writing', pid: process.pid });
  });
});

describe('after a crash', () => {
  it('[J5] a change with equal contents counts as not made', async () => {
    const bench = await openBench(await tempFolder());
    await writeTree(bench.project, { 'a.md': 'same' });
    await bench.journal.begin(intended('@project/a.md', 'same', 'same'));
    expect((await openBench(bench.root)).journal.list()).toEqual([]);
  });

  it('[J5] folders created for a change that was not made are removed', async () => {
    const bench = await openBench(await tempFolder());
    const { abandon } = await bench.journal.begin(intended('@project/x/y/z.md', undefined, 'x'));
    await mkdir(join(bench.project, 'x'));
    await abandon();
    expect(await readdir(bench.project)).toEqual([]);
  });

  it.each([
    [
      'its path contains a link to the outside',
      async (project: string) => symlink('../outside', join(project, 'x')),
    ],
    [
      'its temp file cannot be removed',
      async (project: string, tempName: string) => mkdir(join(project, 'x', tempName), { recursive: true }),
    ],
  ])('[J5] nothing is settled while %s', async (_, spoil) => {
    const bench = await openBench(await tempFolder());
    const { abandon, tempName } = await bench.journal.begin(intended('@project/x/y.md', undefined, 'x'));
    await spoil(bench.project, tempName);
    await abandon();
    expect(bench.warnings).toEqual([
      'It is not known whether @project/x/y.md was changed; the next start checks again.',
    ]);
    await rm(join(bench.project, 'x'), { recursive: true });
    await writeTree(bench.project, { 'x/y.md': 'x' });
    expect((await openBench(bench.root)).journal.list()).toMatchObject([
      { path: '@project/x/y.md', undone: false },
    ]);
  });
});

describe('undo', () => {
  it('[J2] only removes empty folders when it undoes the creation of a file', async () => {
    const bench = await openBench(await tempFolder());
    await bench.change('made/a.md', 'x');
    await bench.change('made/a.md', undefined);
    expect(await readdir(bench.project)).toEqual(['made']);
    await bench.journal.undo(ALL);
    expect(await readdir(bench.project)).toEqual([]);
  });

  it('[J2] does not remove the folder of a file whose deletion is redone', async () => {
    const bench = await openBench(await tempFolder());
    await bench.change('made/a.md', 'x', 'c1');
    await bench.change('made/b.md', 'x', 'c2');
    await bench.journal.undo({ callId: 'c1' });
    await bench.change('made/b.md', undefined, 'c3');
    await bench.journal.undo({ callId: 'c3' });
    expect(await bench.journal.redo({ callId: 'c3' })).toMatchObject([{ outcome: 'deleted' }]);
    expect(await readTree(bench.project)).toEqual({ 'made/': '' });
  });

  it('[J2] does not remove a folder that a person created again', async () => {
    const bench = await openBench(await tempFolder());
    await mkdir(join(bench.project, 'mine'));
    await bench.change('mine/a.md', 'x');
    await rm(join(bench.project, 'mine'), { recursive: true });
    expect(await bench.journal.undo(ALL)).toMatchObject([{ outcome: 'unchanged' }]);
    await mkdir(join(bench.project, 'mine'));
    await bench.journal.redo(ALL);
    expect(await bench.journal.undo(ALL)).toMatchObject([{ outcome: 'deleted' }]);
    expect(await readTree(bench.project)).toEqual({ 'mine/': '' });
  });

  it('[J2] does not redo over an edit between two calls', async () => {
    const bench = await openBench(await tempFolder());
    await bench.change('a.md', 'one', 'c1');
    await writeFile(join(bench.project, 'a.md'), 'edited');
    await bench.change('a.md', 'two', 'c2');
    await bench.journal.undo({ callId: 'c2' });
    await writeFile(join(bench.project, 'a.md'), 'one');
    await bench.journal.undo({ callId: 'c1' });
    expect(await bench.journal.redo(ALL)).toEqual([
      {
        path: '@project/a.md',
        outcome: 'conflict',
        reason: 'Somebody else changed it between these changes; redo them one call at a time.',
        cause: 'edited',
      },
    ]);
    expect(await readTree(bench.project)).toEqual({});
  });

  it('[J2] reports a conflict if the file is no longer accessible', async () => {
    const root = await tempFolder();
    const first = await openBench(root);
    await writeTree(first.project, { 'x/a.md': 'before' });
    await first.change('x/a.md', 'after');
    const { journal, warnings } = await openBench(root, (files) => ({
      ...files,
      replace: async (...args) => {
        await rename(join(first.project, 'x'), join(root, 'outside/x'));
        await symlink('../outside/x', join(first.project, 'x'));
        return files.replace(...args);
      },
    }));
    expect(await journal.undo(ALL)).toEqual([
      {
        path: '@project/x/a.md',
        outcome: 'conflict',
        reason: 'It goes through a link that leads out of the mount.',
        cause: 'blocked',
      },
    ]);
    expect(warnings).toEqual([
      'It is not known whether @project/x/a.md was changed; the next start checks again.',
    ]);
    expect(await readFile(join(root, 'outside/x/a.md'), 'utf8')).toBe('after');
  });

  it('[J1] records nothing if the folder of the file is not accessible', async () => {
    const bench = await openBench(await tempFolder());
    await writeTree(bench.project, { 'x/a.md': 'before' });
    await bench.change('x/a.md', undefined);
    const recorded = await logLines(bench.root);
    await rm(join(bench.project, 'x'), { recursive: true });
    await writeTree(bench.project, { x: 'mine' });
    expect(await bench.journal.undo(ALL)).toMatchObject([{ outcome: 'failed' }]);
    expect(await logLines(bench.root)).toEqual(recorded);
  });

  it('[J2] reports a conflict if a folder replaced the file', async () => {
    const bench = await openBench(await tempFolder());
    await bench.change('a.md', 'x');
    await rm(join(bench.project, 'a.md'));
    await writeTree(bench.project, { 'a.md/mine.md': 'mine' });
    const [undone] = await bench.journal.undo(ALL);
    expect(undone?.outcome).toBe('conflict');
    expect(await readFile(join(bench.project, 'a.md/mine.md'), 'utf8')).toBe('mine');
  });

  it('[J2] treats the file as absent if a file replaced its folder', async () => {
    const bench = await openBench(await tempFolder());
    await bench.change('x/a.md', 'x');
    await rm(join(bench.project, 'x'), { recursive: true });
    await writeTree(bench.project, { x: 'mine' });
    const [undone] = await bench.journal.undo(ALL);
    expect(undone?.outcome).toBe('unchanged');
    expect(await readFile(join(bench.project, 'x'), 'utf8')).toBe('mine');
  });
});
