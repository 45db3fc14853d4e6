import { chmod, mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type UndoneFile, type UndoSelection, undoneFileSchema } from '@crewagent/protocol/journal';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MountedFs } from '../../mounts/mounted-fs.ts';
import { cases } from '../../testing/kill-points.ts';
import { openJournalRig } from '../../testing/rigs/journal-rig.ts';
import { readTree, tempFolder, writeTree } from '../../testing/temp-folder.ts';
import type { Journal } from '../journal.ts';

/** A project, its journal, and calls that change files. */
interface Bench {
  readonly project: string;
  readonly journal: Journal;
  readonly warnings: string[];
  /** A tool call that writes a file, or deletes it. */
  call(callId: string, path: string, after: string | Buffer | null, nodeId?: string): Promise<void>;
  /** Contents by path; folders have no entry. */
  contents(): Promise<Record<string, string>>;
}

async function openBench(
  root: string,
  adapt: (files: MountedFs) => MountedFs = (files) => files,
): Promise<Bench> {
  const rig = await openJournalRig(root, { adapt });
  const { project, files, journal } = rig;
  return {
    ...rig,
    async call(callId, path, after, nodeId) {
      const target = { mount: '@project', segments: path.split('/') } as const;
      const file = join(project, path);
      const before = await readFile(file).catch(() => undefined);
      const change = await journal.begin({
        callId,
        nodeId,
        path: `@project/${path}`,
        before,
        mode: before && (await stat(file)).mode & 0o777,
        after: after === null ? undefined : Buffer.from(after),
      });
      if (after === null) await files.remove(target);
      else await files.replace(target, Buffer.from(after), { tempName: change.tempName });
      await change.done();
    },
    async contents() {
      return Object.fromEntries(
        Object.entries(await readTree(project)).filter(([name]) => !name.endsWith('/')),
      );
    },
  };
}

/** Outcome by path, without the mount. */
function outcomes(results: readonly UndoneFile[]): Record<string, string> {
  for (const result of results) undoneFileSchema.parse(result);
  return Object.fromEntries(results.map(({ path, outcome }) => [path.slice('@project/'.length), outcome]));
}

const all = { all: true } as const;

describe('undo of a file that was made read-only', () => {
  it('[J2] does not change it until it is writable again, even if the run created it', async () => {
    const bench = await openBench(await tempFolder());
    await writeTree(bench.project, { 'a.md': 'old' });
    await bench.call('1', 'a.md', 'new');
    await bench.call('1', 'made.md', 'made');
    const paths = ['a.md', 'made.md'].map((name) => join(bench.project, name));
    for (const path of paths) await chmod(path, 0o444);
    const results = await bench.journal.undo(all);
    expect(outcomes(results)).toEqual({ 'a.md': 'conflict', 'made.md': 'conflict' });
    expect(results[0]?.reason).toBe('It was made read-only since, so it was left as it is.');
    expect(await bench.contents()).toEqual({ 'a.md': 'new', 'made.md': 'made' });
    for (const path of paths) await chmod(path, 0o644);
    expect(outcomes(await bench.journal.undo(all))).toEqual({ 'a.md': 'restored', 'made.md': 'deleted' });
    await chmod(join(bench.project, 'a.md'), 0o400);
    expect(outcomes(await bench.journal.redo(all))).toEqual({ 'a.md': 'conflict', 'made.md': 'recreated' });
    await chmod(join(bench.project, 'a.md'), 0o600);
    expect(outcomes(await bench.journal.redo(all))).toEqual({ 'a.md': 'restored', 'made.md': 'unchanged' });
    expect(await bench.contents()).toEqual({ 'a.md': 'new', 'made.md': 'made' });
  });

  it('[J2] restores a file that was already read-only when it was changed', async () => {
    const bench = await openBench(await tempFolder());
    await writeTree(bench.project, { 'a.md': 'old' });
    await chmod(join(bench.project, 'a.md'), 0o400);
    await bench.call('1', 'a.md', 'new');
    expect(outcomes(await bench.journal.undo(all))).toEqual({ 'a.md': 'restored' });
    expect(await bench.contents()).toEqual({ 'a.md': 'old' });
    expect((await stat(join(bench.project, 'a.md'))).mode & 0o777).toBe(0o400);
  });
});

describe('undo', () => {
  it('[J2] restores exact bytes and permissions after any change', async () => {
    const { project, journal, call } = await openBench(await tempFolder());
    const odd = Buffer.from('\ufeffone\r\ntwo\n\r\n\0\xff', 'latin1');
    await writeTree(project, { 'odd.bin': odd, 'script.sh': 'echo', 'gone.sh': 'bye' });
    await chmod(join(project, 'script.sh'), 0o755);
    await chmod(join(project, 'gone.sh'), 0o710);
    await call('c1', 'odd.bin', 'plain\n');
    await call('c1', 'script.sh', 'echo twice');
    await call('c1', 'gone.sh', null);
    await call('c2', 'script.sh', 'echo thrice');
    expect(outcomes(await journal.undo(all))).toEqual({
      'odd.bin': 'restored',
      'script.sh': 'restored',
      'gone.sh': 'recreated',
    });
    expect(await readFile(join(project, 'odd.bin'))).toEqual(odd);
    expect(await readTree(project)).toMatchObject({ 'script.sh': 'echo', 'gone.sh': 'bye' });
    const modes = ['script.sh', 'gone.sh'].map(
      async (name) => (await stat(join(project, name))).mode & 0o777,
    );
    expect(await Promise.all(modes)).toEqual([0o755, 0o710]);
  });

  it('[J2] removes a created file with the folders created for it, and no others', async () => {
    const { project, journal, call } = await openBench(await tempFolder());
    await mkdir(join(project, 'mine'));
    await call('c1', 'made/deep/a.md', 'a');
    await call('c2', 'made/b.md', 'b');
    await call('c3', 'mine/c.md', 'c');
    expect(outcomes(await journal.undo({ callId: 'c1' }))).toEqual({ 'made/deep/a.md': 'deleted' });
    expect(await readTree(project)).toEqual({
      'made/': '',
      'made/b.md': 'b',
      'mine/': '',
      'mine/c.md': 'c',
    });
    await journal.undo(all);
    expect(await readTree(project)).toEqual({ 'mine/': '' });
  });

  it('[J2] does not remove a folder that a person created again', async () => {
    const { project, journal, call } = await openBench(await tempFolder());
    await call('c1', 'made/a.md', 'a');
    await journal.undo(all);
    await mkdir(join(project, 'made'));
    expect(outcomes(await journal.redo(all))).toEqual({ 'made/a.md': 'recreated' });
    await journal.undo(all);
    expect(await readTree(project)).toEqual({ 'made/': '' });
  });

  it('[J2] works by call, by node and by run', async () => {
    const { journal, call, contents } = await openBench(await tempFolder());
    await call('c1', 'a.md', 'a1', 'n1');
    await call('c2', 'a.md', 'a2', 'n1');
    await call('c3', 'b.md', 'b3', 'n2');
    await call('c4', 'b.md', 'b4', 'n2');
    expect(outcomes(await journal.undo({ callId: 'c4' }))).toEqual({ 'b.md': 'restored' });
    expect(await contents()).toEqual({ 'a.md': 'a2', 'b.md': 'b3' });
    expect(outcomes(await journal.undo({ nodeId: 'n1' }))).toEqual({ 'a.md': 'deleted' });
    expect(await contents()).toEqual({ 'b.md': 'b3' });
    expect(outcomes(await journal.undo(all))).toEqual({ 'a.md': 'unchanged', 'b.md': 'deleted' });
    expect(await contents()).toEqual({});
    expect(await journal.undo({ callId: 'unheard of' })).toEqual([]);
  });

  it("[J2] never overwrites a person's edit, and undoes the other files", async () => {
    const { project, journal, call, contents } = await openBench(await tempFolder());
    for (const name of ['edited', 'deleted', 'folder', 'link', 'fine']) {
      await writeTree(project, { [name]: 'before' });
      await call('c1', name, 'after');
    }
    await writeFile(join(project, 'edited'), 'after?');
    for (const name of ['deleted', 'folder', 'link']) await rm(join(project, name));
    await mkdir(join(project, 'folder'));
    await symlink('edited', join(project, 'link'));
    const results = await journal.undo(all);
    expect(outcomes(results)).toEqual({
      edited: 'conflict',
      deleted: 'conflict',
      folder: 'conflict',
      link: 'conflict',
      fine: 'restored',
    });
    expect(results[0]?.reason).toBe('It was changed since, so it was left as it is.');
    expect(await contents()).toEqual({ edited: 'after?', link: '-> edited', fine: 'before' });
    expect(JSON.stringify(results)).not.toContain(project);
  });

  it('[J2] never undoes a change of another call', async () => {
    const { journal, call, contents } = await openBench(await tempFolder());
    await call('c1', 'a.md', 'one');
    await call('c2', 'a.md', 'two');
    await call('c1', 'a.md', 'three');
    expect(await journal.undo({ callId: 'c2' })).toEqual([
      {
        path: '@project/a.md',
        outcome: 'conflict',
        reason: 'Call c1 changed it later; undo that first.',
        cause: 'later-change',
      },
    ]);
    expect(outcomes(await journal.undo({ callId: 'c1' }))).toEqual({ 'a.md': 'conflict' });
    expect(await contents()).toEqual({ 'a.md': 'three' });
  });

  it('[J2] stops at an edit between two calls', async () => {
    const { project, journal, call, contents } = await openBench(await tempFolder());
    await call('c1', 'a.md', 'ours');
    await writeFile(join(project, 'a.md'), 'a person was here');
    await call('c2', 'a.md', 'ours again');
    expect(outcomes(await journal.undo(all))).toEqual({ 'a.md': 'conflict' });
    expect(outcomes(await journal.undo({ callId: 'c2' }))).toEqual({ 'a.md': 'restored' });
    expect(outcomes(await journal.undo(all))).toEqual({ 'a.md': 'conflict' });
    expect(await contents()).toEqual({ 'a.md': 'a person was here' });
  });

  it.each(['replace', 'remove'] as const)(
    '[J2] detects an edit between the check and the %s',
    async (verb) => {
      const root = await tempFolder();
      const first = await openBench(root);
      if (verb === 'replace') await writeTree(first.project, { 'a.md': 'before' });
      await first.call('c1', 'a.md', 'after');
      const edit = (): Promise<void> => writeFile(join(first.project, 'a.md'), 'a person was quicker');
      const slow = (files: MountedFs): MountedFs => ({
        ...files,
        replace: (...args) => edit().then(() => files.replace(...args)),
        remove: (...args) => edit().then(() => files.remove(...args)),
      });
      const { journal, contents, project } = await openBench(root, slow);
      expect(await journal.undo(all)).toEqual([
        {
          path: '@project/a.md',
          outcome: 'conflict',
          reason: 'It was changed just now, so it was left as it is.',
          cause: 'edited',
        },
      ]);
      expect(await contents()).toEqual({ 'a.md': 'a person was quicker' });
      await writeFile(join(project, 'a.md'), 'after');
      expect(journal.list()).toMatchObject([{ undone: false }]);
      expect(await readTree(project)).toEqual({ 'a.md': 'after' });
    },
  );

  it('[J1] reports the disk error of one file, and undoes the others', async () => {
    const { project, journal, call, contents } = await openBench(await tempFolder());
    await writeTree(project, { 'sub/a.md': 'before', 'b.md': 'before' });
    await call('c1', 'sub/a.md', null);
    await call('c1', 'b.md', 'after');
    await rm(join(project, 'sub'), { recursive: true });
    await writeTree(project, { sub: 'a file now' });
    expect(await journal.undo(all)).toEqual([
      {
        path: '@project/sub/a.md',
        outcome: 'failed',
        reason: 'It could not be written: there is a file where a folder is needed.',
      },
      { path: '@project/b.md', outcome: 'restored' },
    ]);
    expect(await contents()).toEqual({ sub: 'a file now', 'b.md': 'before' });
  });

  it('[J2] is idempotent', async () => {
    const root = await tempFolder();
    const { journal, call, project, contents } = await openBench(root);
    await writeTree(project, { 'a.md': 'before', 'b.md': 'before' });
    await call('c1', 'a.md', 'after');
    await call('c1', 'b.md', 'after');
    await writeFile(join(project, 'b.md'), 'before');
    expect(outcomes(await journal.undo(all))).toEqual({ 'a.md': 'restored', 'b.md': 'unchanged' });
    const again = await openBench(root);
    expect(outcomes(await again.journal.undo(all))).toEqual({ 'a.md': 'unchanged', 'b.md': 'unchanged' });
    expect(again.journal.list().map(({ undone }) => undone)).toEqual([true, true]);
    expect(await contents()).toEqual({ 'a.md': 'before', 'b.md': 'before' });
    expect(again.warnings).toEqual([]);
  });
});

describe('redo', () => {
  it('[J2] repeats undone changes in order, with their permissions', async () => {
    const root = await tempFolder();
    const { journal, call, project, contents } = await openBench(root);
    await call('c1', 'made/a.sh', 'one');
    await call('c2', 'made/a.sh', 'two');
    await chmod(join(project, 'made/a.sh'), 0o750);
    await journal.undo(all);
    const again = await openBench(root);
    expect(await again.journal.redo({ callId: 'c2' })).toEqual([
      {
        path: '@project/made/a.sh',
        outcome: 'conflict',
        reason: 'Call c1 has to be redone first.',
        cause: 'later-change',
      },
    ]);
    expect(outcomes(await again.journal.redo(all))).toEqual({ 'made/a.sh': 'recreated' });
    expect(await contents()).toEqual({ 'made/a.sh': 'two' });
    expect((await stat(join(project, 'made/a.sh'))).mode & 0o777).toBe(0o750);
    expect(outcomes(await again.journal.redo(all))).toEqual({ 'made/a.sh': 'unchanged' });
    expect(outcomes(await again.journal.undo(all))).toEqual({ 'made/a.sh': 'deleted' });
    expect(await readTree(project)).toEqual({});
  });

  it('[J2] deletes a file again', async () => {
    const { journal, call, project } = await openBench(await tempFolder());
    await writeTree(project, { 'a.md': 'before' });
    await call('c1', 'a.md', null);
    await journal.undo(all);
    expect(outcomes(await journal.redo(all))).toEqual({ 'a.md': 'deleted' });
    expect(await readTree(project)).toEqual({});
  });

  it('[J2] never overwrites a change made after the undo', async () => {
    const { journal, call, project, contents } = await openBench(await tempFolder());
    await call('c1', 'edited.md', 'one');
    await call('c1', 'superseded.md', 'one');
    await journal.undo(all);
    await writeFile(join(project, 'edited.md'), 'a person was here');
    await call('c2', 'superseded.md', 'two');
    expect(await journal.redo({ callId: 'c1' })).toEqual([
      {
        path: '@project/edited.md',
        outcome: 'conflict',
        reason: 'It was changed since, so it was left as it is.',
        cause: 'edited',
      },
      {
        path: '@project/superseded.md',
        outcome: 'unchanged',
        reason: 'A newer change replaced it, so there is nothing to redo.',
      },
    ]);
    expect(await contents()).toEqual({ 'edited.md': 'a person was here', 'superseded.md': 'two' });
    await journal.undo({ callId: 'c2' });
    expect(outcomes(await journal.redo({ callId: 'c2' }))).toEqual({ 'superseded.md': 'recreated' });
  });
});

/** A model of the expected behaviour: for each file its content, its applied changes, and its undone ones. */
function createModel() {
  interface Change {
    readonly callId: string;
    readonly nodeId: string;
    readonly before: string | null;
    readonly after: string | null;
  }
  interface File {
    content: string | null;
    applied: Change[];
    undone: Change[];
    superseded: Change[];
  }
  const files = new Map<string, File>();
  const fileAt = (path: string): File => {
    const file = files.get(path) ?? { content: null, applied: [], undone: [], superseded: [] };
    files.set(path, file);
    return file;
  };

  const moveFile = (
    file: File,
    direction: 'undo' | 'redo',
    selected: (change: Change) => boolean,
  ): string => {
    const [source, target] = direction === 'undo' ? [file.applied, file.undone] : [file.undone, file.applied];
    const lowest = source.findIndex(selected);
    if (lowest === -1) return 'unchanged';
    const moving = source.slice(lowest);
    if (!moving.every(selected)) return 'conflict';
    const inOrder = direction === 'undo' ? moving : moving.toReversed();
    for (const [index, change] of inOrder.entries()) {
      const next = inOrder[index + 1];
      if (next && next.before !== change.after) return 'conflict';
    }
    const ends = [inOrder.at(0)?.before ?? null, inOrder.at(-1)?.after ?? null] as const;
    const [to, from] = direction === 'undo' ? ends : ends.toReversed();
    const was = file.content;
    if (was !== from && was !== to) return 'conflict';
    source.length = lowest;
    target.push(...moving.toReversed());
    file.content = to ?? null;
    if (was === to) return 'unchanged';
    return file.content === null ? 'deleted' : was === null ? 'recreated' : 'restored';
  };

  return {
    call(callId: string, nodeId: string, path: string, after: string | null): void {
      const file = fileAt(path);
      file.superseded.push(...file.undone.splice(0));
      file.applied.push({ callId, nodeId, before: file.content, after });
      file.content = after;
    },
    edit(path: string, content: string | null): void {
      fileAt(path).content = content;
    },
    move(direction: 'undo' | 'redo', selection: UndoSelection): Record<string, string> {
      const selected = (change: Change): boolean =>
        'all' in selection ||
        ('callId' in selection ? change.callId === selection.callId : change.nodeId === selection.nodeId);
      const concerned = [...files].filter(([, { applied, undone, superseded }]) =>
        [...applied, ...undone, ...superseded].some(selected),
      );
      return Object.fromEntries(concerned.map(([path, file]) => [path, moveFile(file, direction, selected)]));
    },
    has: (path: string): boolean => fileAt(path).content !== null,
    contents: (): Record<string, string> =>
      Object.fromEntries(
        [...files].flatMap(([path, { content }]) => (content === null ? [] : [[path, content]])),
      ),
    applied: (): number => [...files.values()].reduce((sum, { applied }) => sum + applied.length, 0),
  };
}

const path = fc.constantFrom('a.md', 'sub/b.md', 'sub/deep/c.md');
// Few contents, so that they repeat.
const content = fc.constantFrom('', 'x', 'y\r\n', 'longer text');
const contentOrNone = fc.option(content, { freq: 4 });
const callNumber = fc.nat({ max: 3 });
const selection: fc.Arbitrary<UndoSelection> = fc.oneof(
  fc.constant(all),
  callNumber.map((call) => ({ callId: `c${call}` })),
  fc.constantFrom({ nodeId: 'n0' }, { nodeId: 'n1' }),
);
const action = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('call'), path, after: contentOrNone, call: callNumber }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('edit'), path, after: contentOrNone }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('undo'), selection }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('redo'), selection }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen') }) },
);

describe('any sequence of calls, edits, undos and redos', () => {
  it('[J2] has the same result as a simple model', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 2, maxLength: 24, size: 'max' }), async (actions) => {
        const root = await tempFolder();
        const model = createModel();
        let bench = await openBench(root);
        for (const step of actions) {
          if ('call' in step) {
            if (step.after === null && !model.has(step.path)) continue;
            const nodeId = `n${step.call % 2}`;
            await bench.call(`c${step.call}`, step.path, step.after, nodeId);
            model.call(`c${step.call}`, nodeId, step.path, step.after);
          } else if ('after' in step) {
            await edit(join(bench.project, step.path), step.after);
            model.edit(step.path, step.after);
          } else if ('selection' in step) {
            const direction = step.kind === 'undo' ? 'undo' : 'redo';
            const results = outcomes(await bench.journal[direction](step.selection));
            expect(results).toEqual(model.move(direction, step.selection));
          } else {
            bench = await openBench(root);
          }
          expect(await bench.contents()).toEqual(model.contents());
          expect(bench.journal.list().filter(({ undone }) => !undone)).toHaveLength(model.applied());
        }
        expect(bench.warnings).toEqual([]);
      }),
      cases(30),
    );
  });
});

async function edit(file: string, text: string | null): Promise<void> {
  if (text === null) return rm(file, { force: true });
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
