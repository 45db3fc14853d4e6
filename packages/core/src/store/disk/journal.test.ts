import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import {
  appendFile,
  chown,
  mkdir,
  readdir,
  readFile,
  rename,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { journalEntrySchema, journalRecordSchema } from '@crewagent/protocol/journal';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { removeTree } from '../../base/remove-tree.ts';
import { sha256Of } from '../../base/sha256.ts';
import { driverPath } from '../../testing/driver-path.ts';
import { type JournalRig as Bench, openJournalRig as openBench } from '../../testing/journal-rig.ts';
import { killCount } from '../../testing/kill-points.ts';
import { readTree, tempFolder, writeTree } from '../../testing/temp-folder.ts';
import { type IntendedChange, openJournal, type RecordedChange } from './journal.ts';

/** A run's folder with a project beside its journal. */
/** What a tool tells the journal: the file as it is, and what it is going to be. */
async function begin(
  bench: Bench,
  path: string,
  after: string | Buffer,
  callId = 'c',
): Promise<RecordedChange> {
  return bench.journal.begin({ ...(await before(bench, path)), callId, after: Buffer.from(after) });
}

async function before(bench: Bench, path: string): Promise<Pick<IntendedChange, 'path' | 'before' | 'mode'>> {
  const file = join(bench.project, path);
  const found = await readFile(file).catch(() => undefined);
  const mode = found && (await stat(file)).mode & 0o777;
  return { path: `@project/${path}`, before: found, mode };
}

async function change(bench: Bench, path: string, after: string | Buffer, callId = 'c'): Promise<void> {
  const { tempName, done } = await begin(bench, path, after, callId);
  await bench.files.replace(bench.files.resolve(toPath(path), 'write'), Buffer.from(after), { tempName });
  await done();
}

function toPath(path: string) {
  return { mount: '@project', segments: path.split('/') } as const;
}

async function logLines(root: string): Promise<string[]> {
  return (await readFile(join(root, 'journal', 'journal.jsonl'), 'utf8')).split('\n').slice(0, -1);
}

async function blobs(root: string): Promise<string[]> {
  return readdir(join(root, 'journal', 'blobs'));
}

describe('recording a change', () => {
  it('[J1] keeps both contents and the intent before the file may be touched', async () => {
    const bench = await openBench(await tempFolder());
    await writeFile(join(bench.project, 'a.md'), 'old', { mode: 0o640 });
    const { tempName } = await begin(bench, 'a.md', 'new');
    expect(await readTree(bench.project)).toEqual({ 'a.md': 'old' });
    expect((await blobs(bench.root)).sort()).toEqual(
      [sha256Of(Buffer.from('old')), sha256Of(Buffer.from('new'))].sort(),
    );
    const [line = ''] = await logLines(bench.root);
    expect(journalRecordSchema.parse(JSON.parse(line))).toMatchObject({
      type: 'change.begun',
      path: '@project/a.md',
      mode: 0o640,
      tempName,
    });
  });

  it('[J1] two names of one file are one file', async () => {
    const bench = await openBench(await tempFolder());
    await writeTree(bench.project, { 'real/a.md': 'one' });
    await symlink('real', join(bench.project, 'link'));
    await change(bench, 'link/a.md', 'two');
    await change(bench, 'real/a.md', 'three');
    expect(bench.journal.list().map(({ path }) => path)).toEqual([
      '@project/real/a.md',
      '@project/real/a.md',
    ]);
    expect(await bench.journal.undo({ all: true })).toEqual([
      { path: '@project/real/a.md', outcome: 'restored' },
    ]);
    expect(await readFile(join(bench.project, 'real/a.md'), 'utf8')).toBe('one');
  });

  it('[J9] lists what was made, with the contents to compare', async () => {
    const bench = await openBench(await tempFolder());
    await writeTree(bench.project, { 'a.md': 'old', 'gone.md': 'bye' });
    await change(bench, 'a.md', 'newer', 'c1');
    await change(bench, 'sub/b.md', '', 'c2');
    const deleted = await bench.journal.begin({
      ...(await before(bench, 'gone.md')),
      callId: 'c3',
      nodeId: 'n',
      after: undefined,
    });
    await bench.files.remove(toPath('gone.md'));
    await deleted.done();
    await (await begin(bench, 'a.md', 'never', 'c4')).abandon();
    const entries = bench.journal.list();
    for (const entry of entries) journalEntrySchema.parse(entry);
    expect(entries).toMatchObject([
      { callId: 'c1', path: '@project/a.md', kind: 'changed', bytesBefore: 3, bytesAfter: 5, undone: false },
      { callId: 'c2', path: '@project/sub/b.md', kind: 'created', bytesBefore: 0, bytesAfter: 0 },
      { callId: 'c3', nodeId: 'n', path: '@project/gone.md', kind: 'deleted', bytesBefore: 3, bytesAfter: 0 },
    ]);
    const [first, second, third] = entries.map(({ changeId }) => changeId);
    const { readBefore, readAfter } = bench.journal;
    expect(String(await readBefore(first ?? 0))).toBe('old');
    expect(String(await readAfter(first ?? 0))).toBe('newer');
    expect([await readBefore(second ?? 0), await readAfter(second ?? 0)]).toEqual([
      'absent',
      Buffer.alloc(0),
    ]);
    expect([await readAfter(third ?? 0), await readAfter(99)]).toEqual(['absent', 'not-recorded']);
  });

  it('[J9] is private, and names no real path', async () => {
    const bench = await openBench(await tempFolder());
    await change(bench, 'deep/er/a.md', 'one');
    const modeOf = async (path: string): Promise<string> =>
      ((await stat(join(bench.root, 'journal', path))).mode & 0o777).toString(8);
    expect(
      await Promise.all(['', 'blobs', 'journal.jsonl', `blobs/${(await blobs(bench.root))[0]}`].map(modeOf)),
    ).toEqual(['700', '700', '600', '600']);
    const results = [
      await bench.journal.undo({ all: true }),
      bench.journal.list(),
      await logLines(bench.root),
    ];
    expect(JSON.stringify(results)).not.toContain(bench.root);
  });

  it('[J8] keeps a content once, and nothing that no tool touched', async () => {
    const bench = await openBench(await tempFolder());
    await writeTree(bench.project, { 'a.md': 'same', 'b.md': 'same', 'other.md': 'untouched' });
    for (const path of ['a.md', 'b.md', 'c.md']) await change(bench, path, 'new');
    for (const path of ['a.md', 'b.md']) await change(bench, path, 'same');
    expect(await blobs(bench.root)).toHaveLength(2);
  });

  it('[J8] above the cap warns once and keeps small contents only', async () => {
    const large = (letter: string): Buffer => Buffer.alloc(1_048_577, letter);
    const bench = await openBench(await tempFolder(), { capBytes: 2_500_000 });
    await change(bench, 'a', large('a'), 'c1');
    await change(bench, 'a', large('b'), 'c2');
    expect(bench.warnings).toEqual([]);
    await change(bench, 'a', large('c'), 'c3');
    await change(bench, 'a', large('d'), 'c4');
    await change(bench, 'small', 'x', 'c5');
    const again = await openBench(bench.root, { capBytes: 2_500_000 });
    await change(again, 'small', 'y', 'c6');
    expect([...bench.warnings, ...again.warnings]).toEqual([
      'The journal of this run is full (2 MiB): from now on, changes to files over 1 MiB cannot be undone.',
    ]);
    expect(again.journal.list().map(({ callId, undoable }) => `${callId} ${undoable}`)).toEqual([
      'c1 true',
      'c2 true',
      'c3 true',
      'c4 false',
      'c5 true',
      'c6 true',
    ]);
    const outcomes = async (callId: string) =>
      (await again.journal.undo({ callId })).map(({ outcome }) => outcome);
    expect(await outcomes('c4')).toEqual(['not-recorded']);
    expect(await outcomes('c6')).toEqual(['restored']);
    expect((await readFile(join(bench.project, 'a'))).equals(large('d'))).toBe(true);
  });
});

describe('a disk in trouble', () => {
  it('[J7] does not fail a change that was already made; its end is recorded with the next one', async () => {
    const bench = await openBench(await tempFolder());
    const log = join(bench.root, 'journal', 'journal.jsonl');
    const { tempName, done } = await begin(bench, 'a.md', 'one');
    await bench.files.replace(toPath('a.md'), Buffer.from('one'), { tempName });
    await rename(log, `${log}.away`);
    await done();
    await expect(begin(bench, 'a.md', 'two')).rejects.toMatchObject({ code: 'ENOENT' });
    await rename(`${log}.away`, log);
    await change(bench, 'a.md', 'two');
    const types = (await logLines(bench.root)).map(
      (line) => journalRecordSchema.parse(JSON.parse(line)).type,
    );
    expect(types).toEqual(['change.begun', 'step.done', 'change.begun', 'step.done']);
    expect((await openBench(bench.root)).journal.list()).toEqual(bench.journal.list());
  });
});

describe('after a crash', () => {
  it.each<[string, (bench: Bench, tempName: string) => Promise<void>]>([
    ['nothing was done', async () => undefined],
    ['a temp file was left', (bench, tempName) => writeTree(bench.project, { [`new/er/${tempName}`]: 'af' })],
    [
      'only folders were made',
      async ({ project }) => void (await mkdir(join(project, 'new/er'), { recursive: true })),
    ],
  ])('[J5] a change that was not made leaves nothing: %s', async (_, crash) => {
    const bench = await openBench(await tempFolder());
    await writeTree(bench.project, { 'a.md': 'mine' });
    const { tempName } = await begin(bench, 'new/er/b.md', 'after');
    await crash(bench, tempName);
    const { journal, warnings } = await openBench(bench.root);
    expect(await readTree(bench.project)).toEqual({ 'a.md': 'mine' });
    expect([journal.list(), warnings]).toEqual([[], []]);
    expect((await logLines(bench.root)).at(-1)).toContain('step.abandoned');
  });

  it('[J5] a change that was made can be undone, though nobody could say so', async () => {
    const bench = await openBench(await tempFolder());
    const { tempName } = await begin(bench, 'new/b.md', 'after');
    await bench.files.replace(toPath('new/b.md'), Buffer.from('after'), { tempName });
    const { journal } = await openBench(bench.root);
    expect(journal.list()).toMatchObject([{ path: '@project/new/b.md', kind: 'created', undone: false }]);
    expect(await journal.undo({ all: true })).toEqual([{ path: '@project/new/b.md', outcome: 'deleted' }]);
    expect(await readTree(bench.project)).toEqual({});
  });

  it('[J5] a change that failed after it was made counts as made', async () => {
    const bench = await openBench(await tempFolder());
    const { tempName, abandon } = await begin(bench, 'b.md', 'after');
    await bench.files.replace(toPath('b.md'), Buffer.from('after'), { tempName });
    await abandon();
    expect(bench.journal.list()).toHaveLength(1);
  });

  it('[J5] an undo that was not recorded as done is decided by the file', async () => {
    const bench = await openBench(await tempFolder());
    await change(bench, 'new/b.md', 'after');
    await bench.journal.undo({ all: true });
    const log = join(bench.root, 'journal', 'journal.jsonl');
    const lines = await logLines(bench.root);
    await writeFile(log, `${lines.slice(0, -1).join('\n')}\n`);
    const undone = await openBench(bench.root);
    expect(undone.journal.list()).toMatchObject([{ undone: true }]);
    await writeFile(log, `${lines.slice(0, -1).join('\n')}\n`);
    await writeTree(bench.project, { 'new/b.md': 'after' });
    const notUndone = await openBench(bench.root);
    expect(notUndone.journal.list()).toMatchObject([{ undone: false }]);
    expect(await notUndone.journal.undo({ all: true })).toMatchObject([{ outcome: 'deleted' }]);
  });

  it('[J5] nothing is decided while the project is out of reach', async () => {
    const bench = await openBench(await tempFolder());
    const { tempName } = await begin(bench, 'b.md', 'after');
    await bench.files.replace(toPath('b.md'), Buffer.from('after'), { tempName });
    await rename(bench.project, join(bench.root, 'elsewhere'));
    const blind = await openJournal({
      folder: join(bench.root, 'journal'),
      files: bench.files,
      clock: () => new Date(),
      warn: (message) => bench.warnings.push(message),
    });
    expect(blind.list()).toEqual([]);
    expect(bench.warnings).toEqual([
      'Whether @project/b.md was changed cannot be told now; the next start looks again.',
    ]);
    await rename(join(bench.root, 'elsewhere'), bench.project);
    expect((await openBench(bench.root)).journal.list()).toHaveLength(1);
  });

  it('[J6] a torn last line is cut off, whatever is in it', async () => {
    const bench = await openBench(await tempFolder());
    await change(bench, 'a.md', 'one');
    const log = join(bench.root, 'journal', 'journal.jsonl');
    const whole = await readFile(log, 'utf8');
    for (const torn of ['{"v":1,"id":2,', '\0\0\0\0', '"']) {
      await appendFile(log, torn);
      const { journal, warnings } = await openBench(bench.root);
      expect([journal.list().length, warnings]).toEqual([1, []]);
      expect(await readFile(log, 'utf8')).toBe(whole);
    }
    const again = await openBench(bench.root);
    await change(again, 'a.md', 'two');
    expect((await openBench(bench.root)).journal.list()).toHaveLength(2);
  });

  it('[J6] a damaged line is passed over with a warning, and costs no image', async () => {
    const bench = await openBench(await tempFolder());
    await change(bench, 'a.md', 'one', 'c1');
    await change(bench, 'b.md', 'two', 'c2');
    const [first = '', ...rest] = await logLines(bench.root);
    const log = join(bench.root, 'journal', 'journal.jsonl');
    await writeFile(log, `${[first.replace('"id"', '"ID"'), ...rest].join('\n')}\n`);
    const { journal, warnings } = await openBench(bench.root);
    expect(warnings).toEqual(['The journal of this run is damaged: 1 of its lines were passed over.']);
    expect(journal.list().map(({ callId }) => callId)).toEqual(['c2']);
    expect(await blobs(bench.root)).toHaveLength(2);
  });

  it('[J6] a damaged or missing image is never written into a file', async () => {
    const bench = await openBench(await tempFolder());
    await writeTree(bench.project, { 'a.md': 'old', 'b.md': 'other' });
    await change(bench, 'a.md', 'new');
    await change(bench, 'b.md', 'new');
    const image = (content: string): string =>
      join(bench.root, 'journal', 'blobs', sha256Of(Buffer.from(content)));
    await truncate(image('old'), 1);
    await removeTree(image('other'));
    const again = await openBench(bench.root);
    expect((await again.journal.undo({ all: true })).map(({ outcome }) => outcome)).toEqual([
      'not-recorded',
      'not-recorded',
    ]);
    expect(await readTree(bench.project)).toEqual({ 'a.md': 'new', 'b.md': 'new' });
  });

  it('[J6] a log cut anywhere opens, and undo puts back only what was there before', async () => {
    const bench = await openBench(await tempFolder());
    await writeTree(bench.project, { 'a.md': 'a0' });
    for (const [path, content] of [
      ['a.md', 'a1'],
      ['sub/b.md', 'b1'],
      ['a.md', 'a2'],
    ] as const) {
      await change(bench, path, content);
    }
    await bench.journal.undo({ all: true });
    await bench.journal.redo({ all: true });
    const log = join(bench.root, 'journal', 'journal.jsonl');
    const whole = await readFile(log);
    const known = ['a0', 'a1', 'a2', 'b1'];
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: whole.length }), async (length) => {
        await writeFile(log, whole.subarray(0, length));
        const { journal, warnings } = await openBench(bench.root);
        await journal.undo({ all: true });
        const tree = await readTree(bench.project);
        expect(warnings).toEqual([]);
        expect(known).toContain(tree['a.md']);
        expect([undefined, 'b1']).toContain(tree['sub/b.md']);
        await journal.redo({ all: true });
      }),
      { numRuns: 40 },
    );
  });
});

describe('a process of its own', () => {
  const driver = driverPath('journal-driver');

  /** The lowest level of trust: every file is whole and what the journal says, and nothing else lies about. */
  async function expectConsistent({ project, root, journal, warnings }: Bench): Promise<void> {
    const tree = await readTree(project);
    const expected: Record<string, string> = { 'a.md': 'original' };
    for (const { path, changeId, undone } of journal.list()) {
      if (undone) continue;
      const after = await journal.readAfter(changeId);
      const name = path.slice('@project/'.length);
      if (Buffer.isBuffer(after)) expected[name] = after.toString('latin1');
      else delete expected[name];
    }
    if ('deep/er/c.md' in expected) Object.assign(expected, { 'deep/': '', 'deep/er/': '' });
    expect(Object.keys(tree).sort()).toEqual(Object.keys(expected).sort());
    for (const [name, content] of Object.entries(tree)) {
      expect(content === expected[name], `${name} is what the journal says`).toBe(true);
      const isWhole =
        content === 'original' ||
        content === '' ||
        content.startsWith(sha256Of(Buffer.from(content.slice(64), 'latin1')));
      expect(isWhole, `${name} is whole`).toBe(true);
    }
    expect((await blobs(root)).filter((name) => name.startsWith('.'))).toEqual([]);
    expect(warnings).toEqual([]);
  }

  /** Lets the driver work until so many things have happened to files, and kills it then and there. */
  async function killedAfter(events: number, root: string): Promise<void> {
    const child = spawn(process.execPath, [driver, root, 'write'], { stdio: 'inherit' });
    let left = events;
    const watchers = ['project', 'journal', 'journal/blobs'].map((folder) =>
      watch(join(root, folder), () => {
        left--;
        if (left === 0) child.kill('SIGKILL');
      }),
    );
    const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
    for (const watcher of watchers) watcher.close();
    expect(signal).toBe('SIGKILL');
  }

  it('[J5] killed at any moment: files are old or new, the journal knows which, and all can be undone', async () => {
    const { root, project } = await openBench(await tempFolder());
    await writeTree(project, { 'a.md': 'original' });
    for (let kills = killCount(30); kills > 0; kills--) {
      await killedAfter(1 + Math.floor(Math.random() * 120), root);
      const bench = await openBench(root);
      await expectConsistent(bench);
      const outcomes = new Set((await bench.journal.undo({ all: true })).map(({ outcome }) => outcome));
      for (const bad of ['conflict', 'not-recorded', 'failed'] as const) expect(outcomes).not.toContain(bad);
      expect(await readTree(bench.project)).toEqual({ 'a.md': 'original' });
      await bench.journal.redo({ all: true });
      await expectConsistent(bench);
    }
  }, 180_000);

  it.each([
    ['its records', 'content', 8],
    ['its images', Buffer.alloc(2_000_000, 'x'), 1_000],
  ])(
    '[J7] a disk that takes no more of %s refuses the change, and nothing is torn',
    async (_, content, blocks) => {
      const root = await tempFolder();
      await writeTree(join(root, 'project'), { 'a.md': content });
      const limited = `ulimit -f ${blocks}; trap '' XFSZ; exec "${process.execPath}" "${driver}" "${root}" until-refused`;
      const { made, errno } = await answerOf(spawn('bash', ['--norc', '-c', limited]));
      expect(errno).toBe('EFBIG');
      const bench = await openBench(root);
      expect(bench.journal.list()).toHaveLength(made);
      expect(await readdir(bench.project)).toEqual(['a.md']);
      expect(await fileHolds(bench, made === 0 ? content : `content ${made - 1}`)).toBe(true);
      await change(bench, 'a.md', 'there is room again');
      expect(await bench.journal.undo({ all: true })).toEqual([
        { path: '@project/a.md', outcome: 'restored' },
      ]);
      expect(await fileHolds(bench, content)).toBe(true);
      expect(bench.warnings).toEqual([]);
    },
  );

  it('[J7] a journal that may not be written refuses the change', async () => {
    const root = await tempFolder();
    const asNobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    await writeTree(join(root, 'project'), { 'a.md': 'original' });
    if (asNobody.uid)
      for (const path of ['', 'project', 'project/a.md']) await chown(join(root, path), 65_534, 65_534);
    const child = spawn(process.execPath, [driver, root, 'locked'], { ...asNobody, cwd: root });
    expect(await answerOf(child)).toEqual({ made: 0, errno: 'EACCES' });
    const bench = await openBench(root);
    await expectConsistent(bench);
    expect(bench.journal.list()).toEqual([]);
  });
});

async function fileHolds({ project }: Bench, content: string | Buffer): Promise<boolean> {
  return (await readFile(join(project, 'a.md'))).equals(Buffer.from(content));
}

async function answerOf(child: ChildProcess): Promise<{ made: number; errno: string }> {
  let output = '';
  let errors = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  await once(child, 'close');
  if (output === '') throw new Error(errors);
  return JSON.parse(output) as { made: number; errno: string };
}
