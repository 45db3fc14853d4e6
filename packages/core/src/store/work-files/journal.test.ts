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
import { cases, killCount } from '../../testing/kill-points.ts';
import { type JournalRig, openJournalRig } from '../../testing/rigs/journal-rig.ts';
import { readTree, tempFolder, writeTree } from '../../testing/temp-folder.ts';
import type { IntendedChange, RecordedChange } from '../journal.ts';
import { openJournal } from './journal.ts';
import { readFileImages } from './journal-images.ts';

/** Begins a change as a tool does, with the current content of the file. */
async function begin(
  rig: JournalRig,
  path: string,
  after: string | Buffer,
  callId = 'c',
): Promise<RecordedChange> {
  return rig.journal.begin({ ...(await before(rig, path)), callId, after: Buffer.from(after) });
}

async function before(
  rig: JournalRig,
  path: string,
): Promise<Pick<IntendedChange, 'path' | 'before' | 'mode'>> {
  const file = join(rig.project, path);
  const found = await readFile(file).catch(() => undefined);
  const mode = found && (await stat(file)).mode & 0o777;
  return { path: `@project/${path}`, before: found, mode };
}

async function change(rig: JournalRig, path: string, after: string | Buffer, callId = 'c'): Promise<void> {
  const { tempName, done } = await begin(rig, path, after, callId);
  await rig.files.replace(rig.files.resolve(toPath(path), 'write'), Buffer.from(after), { tempName });
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
  it('leaves nothing on disk before the first one', async () => {
    const root = await tempFolder();
    const rig = await openJournalRig(root);
    expect(await rig.journal.undo({ all: true })).toEqual([]);
    expect(await readdir(root)).toEqual(['project']);
    await writeTree(rig.project, { 'a.md': 'one' });
    await change(rig, 'a.md', 'two');
    const reopened = await openJournalRig(root);
    expect(await reopened.journal.undo({ all: true })).toEqual([
      { path: '@project/a.md', outcome: 'restored' },
    ]);
  });

  it('[J1] stores both contents and the intent before the file is changed', async () => {
    const rig = await openJournalRig(await tempFolder());
    await writeFile(join(rig.project, 'a.md'), 'old', { mode: 0o640 });
    const { tempName } = await begin(rig, 'a.md', 'new');
    expect(await readTree(rig.project)).toEqual({ 'a.md': 'old' });
    expect((await blobs(rig.root)).sort()).toEqual(
      [sha256Of(Buffer.from('old')), sha256Of(Buffer.from('new'))].sort(),
    );
    const [line = ''] = await logLines(rig.root);
    expect(journalRecordSchema.parse(JSON.parse(line))).toMatchObject({
      type: 'change.begun',
      path: '@project/a.md',
      mode: 0o640,
      tempName,
    });
  });

  it('[J1] treats two names of one file as one file', async () => {
    const rig = await openJournalRig(await tempFolder());
    await writeTree(rig.project, { 'real/a.md': 'one' });
    await symlink('real', join(rig.project, 'link'));
    await change(rig, 'link/a.md', 'two');
    await change(rig, 'real/a.md', 'three');
    expect(rig.journal.list().map(({ path }) => path)).toEqual(['@project/real/a.md', '@project/real/a.md']);
    expect(await rig.journal.undo({ all: true })).toEqual([
      { path: '@project/real/a.md', outcome: 'restored' },
    ]);
    expect(await readFile(join(rig.project, 'real/a.md'), 'utf8')).toBe('one');
  });

  it('[J8] lists the changes, with both contents', async () => {
    const rig = await openJournalRig(await tempFolder());
    await writeTree(rig.project, { 'a.md': 'old', 'gone.md': 'bye' });
    await change(rig, 'a.md', 'newer', 'c1');
    await change(rig, 'sub/b.md', '', 'c2');
    const deleted = await rig.journal.begin({
      ...(await before(rig, 'gone.md')),
      callId: 'c3',
      nodeId: 'n',
      after: undefined,
    });
    await rig.files.remove(toPath('gone.md'));
    await deleted.done();
    await (await begin(rig, 'a.md', 'never', 'c4')).abandon();
    const entries = rig.journal.list();
    for (const entry of entries) journalEntrySchema.parse(entry);
    expect(entries).toMatchObject([
      { callId: 'c1', path: '@project/a.md', kind: 'changed', bytesBefore: 3, bytesAfter: 5, undone: false },
      { callId: 'c2', path: '@project/sub/b.md', kind: 'created', bytesBefore: 0, bytesAfter: 0 },
      { callId: 'c3', nodeId: 'n', path: '@project/gone.md', kind: 'deleted', bytesBefore: 3, bytesAfter: 0 },
    ]);
    const [first, second, third] = entries.map(({ changeId }) => changeId);
    const imagesOf = (name: string, changeId: number | undefined) =>
      readFileImages(join(rig.root, 'journal'), { path: `@project/${name}`, changeId, maxBytes: 100 });
    const content = (text: string) => ({ kind: 'content', bytes: Buffer.from(text) });
    expect(await imagesOf('a.md', first)).toEqual({ before: content('old'), after: content('newer') });
    expect(await imagesOf('sub/b.md', second)).toEqual({ before: { kind: 'absent' }, after: content('') });
    expect((await imagesOf('gone.md', third))?.after).toEqual({ kind: 'absent' });
    expect(await imagesOf('a.md', 99)).toBeUndefined();
  });

  it('[J8] is private, and contains no real path', async () => {
    const rig = await openJournalRig(await tempFolder());
    await change(rig, 'deep/er/a.md', 'one');
    const modeOf = async (path: string): Promise<string> =>
      ((await stat(join(rig.root, 'journal', path))).mode & 0o777).toString(8);
    expect(
      await Promise.all(['', 'blobs', 'journal.jsonl', `blobs/${(await blobs(rig.root))[0]}`].map(modeOf)),
    ).toEqual(['700', '700', '600', '600']);
    const results = [await rig.journal.undo({ all: true }), rig.journal.list(), await logLines(rig.root)];
    expect(JSON.stringify(results)).not.toContain(rig.root);
  });

  it('[J8] stores each content once, and no file that was not changed', async () => {
    const rig = await openJournalRig(await tempFolder());
    await writeTree(rig.project, { 'a.md': 'same', 'b.md': 'same', 'other.md': 'untouched' });
    for (const path of ['a.md', 'b.md', 'c.md']) await change(rig, path, 'new');
    for (const path of ['a.md', 'b.md']) await change(rig, path, 'same');
    expect(await blobs(rig.root)).toHaveLength(2);
  });

  it('[J8] above the cap, warns once and stores only small contents', async () => {
    const large = (letter: string): Buffer => Buffer.alloc(1_048_577, letter);
    const rig = await openJournalRig(await tempFolder(), { capBytes: 2_500_000 });
    await change(rig, 'a', large('a'), 'c1');
    await change(rig, 'a', large('b'), 'c2');
    expect(rig.warnings).toEqual([]);
    await change(rig, 'a', large('c'), 'c3');
    await change(rig, 'a', large('d'), 'c4');
    await change(rig, 'small', 'x', 'c5');
    const again = await openJournalRig(rig.root, { capBytes: 2_500_000 });
    await change(again, 'small', 'y', 'c6');
    expect([...rig.warnings, ...again.warnings]).toEqual([
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
    expect((await readFile(join(rig.project, 'a'))).equals(large('d'))).toBe(true);
  });
});

describe('a disk error', () => {
  it('[J1] does not fail a change that was already made; its completion is recorded with the next one', async () => {
    const rig = await openJournalRig(await tempFolder());
    const log = join(rig.root, 'journal', 'journal.jsonl');
    const { tempName, done } = await begin(rig, 'a.md', 'one');
    await rig.files.replace(toPath('a.md'), Buffer.from('one'), { tempName });
    await rename(log, `${log}.away`);
    await done();
    await expect(begin(rig, 'a.md', 'two')).rejects.toMatchObject({ code: 'ENOENT' });
    await rename(`${log}.away`, log);
    await change(rig, 'a.md', 'two');
    const types = (await logLines(rig.root)).map((line) => journalRecordSchema.parse(JSON.parse(line)).type);
    expect(types).toEqual(['change.begun', 'step.done', 'change.begun', 'step.done']);
    expect((await openJournalRig(rig.root)).journal.list()).toEqual(rig.journal.list());
  });
});

describe('after a crash', () => {
  it.each<[string, (rig: JournalRig, tempName: string) => Promise<void>]>([
    ['nothing was done', async () => undefined],
    ['a temp file was left', (rig, tempName) => writeTree(rig.project, { [`new/er/${tempName}`]: 'af' })],
    [
      'only folders were made',
      async ({ project }) => void (await mkdir(join(project, 'new/er'), { recursive: true })),
    ],
  ])('[J5] a change that was not made leaves nothing: %s', async (_, crash) => {
    const rig = await openJournalRig(await tempFolder());
    await writeTree(rig.project, { 'a.md': 'mine' });
    const { tempName } = await begin(rig, 'new/er/b.md', 'after');
    await crash(rig, tempName);
    const { journal, warnings } = await openJournalRig(rig.root);
    expect(await readTree(rig.project)).toEqual({ 'a.md': 'mine' });
    expect([journal.list(), warnings]).toEqual([[], []]);
    expect((await logLines(rig.root)).at(-1)).toContain('step.abandoned');
  });

  it('[J5] a change can be undone even if it was not recorded as done', async () => {
    const rig = await openJournalRig(await tempFolder());
    const { tempName } = await begin(rig, 'new/b.md', 'after');
    await rig.files.replace(toPath('new/b.md'), Buffer.from('after'), { tempName });
    const { journal } = await openJournalRig(rig.root);
    expect(journal.list()).toMatchObject([{ path: '@project/new/b.md', kind: 'created', undone: false }]);
    expect(await journal.undo({ all: true })).toEqual([{ path: '@project/new/b.md', outcome: 'deleted' }]);
    expect(await readTree(rig.project)).toEqual({});
  });

  it('[J5] a change that failed after it was made counts as made', async () => {
    const rig = await openJournalRig(await tempFolder());
    const { tempName, abandon } = await begin(rig, 'b.md', 'after');
    await rig.files.replace(toPath('b.md'), Buffer.from('after'), { tempName });
    await abandon();
    expect(rig.journal.list()).toHaveLength(1);
  });

  it('[J5] an undo that was not recorded as done is settled from the file', async () => {
    const rig = await openJournalRig(await tempFolder());
    await change(rig, 'new/b.md', 'after');
    await rig.journal.undo({ all: true });
    const log = join(rig.root, 'journal', 'journal.jsonl');
    const lines = await logLines(rig.root);
    await writeFile(log, `${lines.slice(0, -1).join('\n')}\n`);
    const undone = await openJournalRig(rig.root);
    expect(undone.journal.list()).toMatchObject([{ undone: true }]);
    await writeFile(log, `${lines.slice(0, -1).join('\n')}\n`);
    await writeTree(rig.project, { 'new/b.md': 'after' });
    const notUndone = await openJournalRig(rig.root);
    expect(notUndone.journal.list()).toMatchObject([{ undone: false }]);
    expect(await notUndone.journal.undo({ all: true })).toMatchObject([{ outcome: 'deleted' }]);
  });

  it('[J5] nothing is settled while the project is not accessible', async () => {
    const rig = await openJournalRig(await tempFolder());
    const { tempName } = await begin(rig, 'b.md', 'after');
    await rig.files.replace(toPath('b.md'), Buffer.from('after'), { tempName });
    await rename(rig.project, join(rig.root, 'elsewhere'));
    const blind = await openJournal({
      folder: join(rig.root, 'journal'),
      files: rig.files,
      clock: () => new Date(),
      warn: (message) => rig.warnings.push(message),
    });
    expect(blind.list()).toEqual([]);
    expect(rig.warnings).toEqual([
      'It is not known whether @project/b.md was changed; the next start checks again.',
    ]);
    await rename(join(rig.root, 'elsewhere'), rig.project);
    expect((await openJournalRig(rig.root)).journal.list()).toHaveLength(1);
  });

  it('[J5] an incomplete last line is truncated, whatever it contains', async () => {
    const rig = await openJournalRig(await tempFolder());
    await change(rig, 'a.md', 'one');
    const log = join(rig.root, 'journal', 'journal.jsonl');
    const whole = await readFile(log, 'utf8');
    for (const torn of ['{"v":1,"id":2,', '\0\0\0\0', '"']) {
      await appendFile(log, torn);
      const { journal, warnings } = await openJournalRig(rig.root);
      expect([journal.list().length, warnings]).toEqual([1, []]);
      expect(await readFile(log, 'utf8')).toBe(whole);
    }
    const again = await openJournalRig(rig.root);
    await change(again, 'a.md', 'two');
    expect((await openJournalRig(rig.root)).journal.list()).toHaveLength(2);
  });

  it('[J5] a damaged line is skipped with a warning, and deletes no image', async () => {
    const rig = await openJournalRig(await tempFolder());
    await change(rig, 'a.md', 'one', 'c1');
    await change(rig, 'b.md', 'two', 'c2');
    const [first = '', ...rest] = await logLines(rig.root);
    const log = join(rig.root, 'journal', 'journal.jsonl');
    await writeFile(log, `${[first.replace('"id"', '"ID"'), ...rest].join('\n')}\n`);
    const { journal, warnings } = await openJournalRig(rig.root);
    expect(warnings).toEqual(['The journal of this run is damaged: 1 of its lines were skipped.']);
    expect(journal.list().map(({ callId }) => callId)).toEqual(['c2']);
    expect(await blobs(rig.root)).toHaveLength(2);
  });

  it('[J5] a damaged or missing image is never written to a file', async () => {
    const rig = await openJournalRig(await tempFolder());
    await writeTree(rig.project, { 'a.md': 'old', 'b.md': 'other' });
    await change(rig, 'a.md', 'new');
    await change(rig, 'b.md', 'new');
    const image = (content: string): string =>
      join(rig.root, 'journal', 'blobs', sha256Of(Buffer.from(content)));
    await truncate(image('old'), 1);
    await removeTree(image('other'));
    const again = await openJournalRig(rig.root);
    expect((await again.journal.undo({ all: true })).map(({ outcome }) => outcome)).toEqual([
      'not-recorded',
      'not-recorded',
    ]);
    expect(await readTree(rig.project)).toEqual({ 'a.md': 'new', 'b.md': 'new' });
  });

  it('[J5] a log that is truncated anywhere opens, and undo restores only earlier contents', async () => {
    const rig = await openJournalRig(await tempFolder());
    await writeTree(rig.project, { 'a.md': 'a0' });
    for (const [path, content] of [
      ['a.md', 'a1'],
      ['sub/b.md', 'b1'],
      ['a.md', 'a2'],
    ] as const) {
      await change(rig, path, content);
    }
    await rig.journal.undo({ all: true });
    await rig.journal.redo({ all: true });
    const log = join(rig.root, 'journal', 'journal.jsonl');
    const whole = await readFile(log);
    const known = ['a0', 'a1', 'a2', 'b1'];
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: whole.length }), async (length) => {
        await writeFile(log, whole.subarray(0, length));
        const { journal, warnings } = await openJournalRig(rig.root);
        await journal.undo({ all: true });
        const tree = await readTree(rig.project);
        expect(warnings).toEqual([]);
        expect(known).toContain(tree['a.md']);
        expect([undefined, 'b1']).toContain(tree['sub/b.md']);
        await journal.redo({ all: true });
      }),
      cases(15),
    );
  });
});

describe('in a separate process', () => {
  const driver = driverPath('journal-driver');

  /** Every file is complete and has the content in the journal, and there are no other files. */
  async function expectConsistent({ project, root, journal, warnings }: JournalRig): Promise<void> {
    const tree = await readTree(project);
    const expected: Record<string, string> = { 'a.md': 'original' };
    for (const { path, changeId, undone } of journal.list()) {
      if (undone) continue;
      const images = await readFileImages(join(root, 'journal'), { path, changeId, maxBytes: 2 ** 30 });
      const name = path.slice('@project/'.length);
      if (images?.after.kind === 'content') expected[name] = images.after.bytes.toString('latin1');
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

  /** Kills the driver after this number of file system events. */
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

  it('[J5] after a kill at any time: files are old or new, the journal knows which, and all changes can be undone', async () => {
    const { root, project } = await openJournalRig(await tempFolder());
    await writeTree(project, { 'a.md': 'original' });
    await mkdir(join(root, 'journal', 'blobs'), { recursive: true });
    for (let kills = killCount(30); kills > 0; kills--) {
      await killedAfter(1 + Math.floor(Math.random() * 120), root);
      const rig = await openJournalRig(root);
      await expectConsistent(rig);
      const outcomes = new Set((await rig.journal.undo({ all: true })).map(({ outcome }) => outcome));
      for (const bad of ['conflict', 'not-recorded', 'failed'] as const) expect(outcomes).not.toContain(bad);
      expect(await readTree(rig.project)).toEqual({ 'a.md': 'original' });
      await rig.journal.redo({ all: true });
      await expectConsistent(rig);
    }
  }, 180_000);

  it.each([
    ['its records', 'content', 8],
    ['its images', Buffer.alloc(2_000_000, 'x'), 1_000],
  ])('[J1] a disk full of %s rejects the change, and no file is incomplete', async (_, content, blocks) => {
    const root = await tempFolder();
    await writeTree(join(root, 'project'), { 'a.md': content });
    const limited = `ulimit -f ${blocks}; trap '' XFSZ; exec "${process.execPath}" "${driver}" "${root}" until-refused`;
    const { made, errno } = await answerOf(spawn('bash', ['--norc', '-c', limited]));
    expect(errno).toBe('EFBIG');
    const rig = await openJournalRig(root);
    expect(rig.journal.list()).toHaveLength(made);
    expect(await readdir(rig.project)).toEqual(['a.md']);
    expect(await fileHolds(rig, made === 0 ? content : `content ${made - 1}`)).toBe(true);
    await change(rig, 'a.md', 'there is room again');
    expect(await rig.journal.undo({ all: true })).toEqual([{ path: '@project/a.md', outcome: 'restored' }]);
    expect(await fileHolds(rig, content)).toBe(true);
    expect(rig.warnings).toEqual([]);
  });

  it('[J1] a journal that is not writable rejects the change', async () => {
    const root = await tempFolder();
    const asNobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    await writeTree(join(root, 'project'), { 'a.md': 'original' });
    if (asNobody.uid)
      for (const path of ['', 'project', 'project/a.md']) await chown(join(root, path), 65_534, 65_534);
    const child = spawn(process.execPath, [driver, root, 'locked'], { ...asNobody, cwd: root });
    expect(await answerOf(child)).toEqual({ made: 0, errno: 'EACCES' });
    const rig = await openJournalRig(root);
    await expectConsistent(rig);
    expect(rig.journal.list()).toEqual([]);
  });
});

async function fileHolds({ project }: JournalRig, content: string | Buffer): Promise<boolean> {
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
