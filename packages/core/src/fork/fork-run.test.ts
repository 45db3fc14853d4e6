import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { toEvidence } from '@crewagent/protocol/evidence';
import { createRunTally } from '@crewagent/protocol/ledger';
import { describe, expect, it } from 'vitest';
import { openTreeChanges } from '../session/changes/open-tree-changes.ts';
import { openRun } from '../session/open-run.ts';
import { toAddress } from '../store/work-address.ts';
import { expectProved } from '../testing/expect-proved.ts';
import { readTree } from '../testing/file-tree.ts';
import { killPoints } from '../testing/kill-points.ts';
import { canLosePower, watchDisk } from '../testing/lossy-disk.ts';
import { call, createScriptedModel, finish, type Script } from '../testing/models/scripted-model.ts';
import { nestedPackage } from '../testing/packages/nested-package.ts';
import { diskRigFor, TO_THE_END } from '../testing/rigs/branching-run.ts';
import { refusalOf } from '../testing/rigs/project-files-rig.ts';
import { CONTEXT, createDiskRunRig, type DiskRunRig } from '../testing/rigs/run-rig.ts';
import { readEvents } from '../transfer/pack-works.ts';
import { listForks } from './compare-runs.ts';
import { isForkProved } from './fork-log.ts';
import { type Forked, type ForkRequest, forkRun, planFork } from './fork-run.ts';

/** Without folders: an empty one is as good as none. */
const readFiles = async (folder: string): Promise<Record<string, string>> =>
  Object.fromEntries(Object.entries(await readTree(folder)).filter(([path]) => !path.endsWith('/')));

const write = (path: string, content: string) => call('fs_write', { path, content });

/** Each step writes over `notes.md`, and the first and the last one create a file of their own. */
const SCRIPT: Script = [
  write('notes.md', 'one'),
  write('src/first.md', 'first'),
  finish('step-01', 'decide-02', { mood: 'calm' }),
  write('notes.md', 'two'),
  finish('decide-02', 'step-03', { mood: 'brave' }),
  write('notes.md', 'three'),
  write('made/last.md', 'last'),
  finish('step-03', 'end-99'),
  finish('end-99'),
  'All done.',
];

let clock = Date.parse('2026-01-31T09:30:01.000Z');
const now = (): Date => new Date(clock++);

async function completed(script: Script = SCRIPT): Promise<DiskRunRig> {
  const rig = await diskRigFor(script, { project: { 'notes.md': 'mine', 'data/in.csv': '1' } });
  expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
  await rig.close();
  return rig;
}

const depsOf = ({ store }: DiskRunRig) => ({ store, context: CONTEXT, env: {}, now });

const copyBeside = ({ project }: DiskRunRig, name = 'fork') =>
  ({ kind: 'copy', folder: join(dirname(project), name) }) as const;

function fork(rig: DiskRunRig, request: Partial<ForkRequest> = {}): Promise<Forked> {
  const usual = { run: rig.record.workId, at: { nodeId: 'step-03' }, target: copyBeside(rig) };
  return forkRun({ ...usual, ...request }, depsOf(rig));
}

const addressOf = ({ projectId, workId }: Pick<Forked, 'projectId' | 'workId'>) =>
  ({ projectId, workId, isRun: true }) as const;

function openFork(rig: DiskRunRig, forked: Forked, script: Script) {
  return openRun(addressOf(forked), {
    store: rig.store,
    context: CONTEXT,
    now,
    createAdapter: () => Promise.resolve(createScriptedModel(script)),
    onBug: (_, error) => {
      throw error;
    },
  });
}

describe('a fork of a run', () => {
  it('[W10] has the log, state and files of the visit, proves its events, and leaves every byte of the original', async () => {
    const rig = await completed();
    const before = await readTree(rig.paths.folder);
    const projectBefore = await readFiles(rig.project);
    const forked = await fork(rig);
    expect(await readTree(rig.paths.folder)).toEqual(before);
    expect(await readFiles(rig.project)).toEqual(projectBefore);
    expect(forked).toMatchObject({ nodeId: 'step-03', visit: 1, lost: [] });
    expect(await readFiles(forked.folder)).toEqual({
      'README.md': '# Project\n',
      'data/in.csv': '1',
      'notes.md': 'two',
      'src/first.md': 'first',
    });
    const { works } = rig.store;
    const record = await works.read(addressOf(forked));
    expect(record).toMatchObject({
      phase: 'WaitingUser',
      reason: { code: 'rewound' },
      packageHash: rig.record.packageHash,
      forkedFrom: { workId: rig.record.workId, nodeId: 'step-03', visit: 1 },
    });
    const events = await readEvents(works, addressOf(forked));
    const original = await readEvents(works, toAddress(rig.record));
    const seq = record.forkedFrom?.seq ?? 0;
    expect(events.slice(0, seq)).toEqual(
      original.slice(0, seq).map((event) => ({ ...event, runId: forked.workId })),
    );
    expect(events[seq]).toMatchObject({ type: 'work.forked', from: rig.record.workId, afterSeq: seq });
    expect(isForkProved(events)).toBe(true);
    const forged = events.map((event) =>
      event.seq === 3 ? { ...event, ts: '2026-01-01T00:00:00.000Z' } : event,
    );
    expect(isForkProved(forged)).toBe(false);
    await expectProved(addressOf(forked), { store: rig.store, context: CONTEXT, now });
  });

  it.skipIf(!canLosePower)(
    '[W10] exists whole or not at all whichever write finds a full disk, and the original does not change by a byte',
    async () => {
      const rig = await completed();
      const root = dirname(rig.project);
      const original = async () => ({
        run: await readTree(rig.paths.folder),
        files: await readFiles(rig.project),
      });
      const before = await original();
      /** Number of steps, and the error; `at`: the step that finds the disk full, 0 for none. */
      const forkWhile = async (at: number) => {
        let steps = 0;
        const disk = await watchDisk(root, {
          onStep: () => {
            if (++steps === at) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
          },
        });
        const error = await fork(rig, { target: copyBeside(rig, `fork-${at}`) }).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        disk.stop();
        return { steps, error };
      };
      const whole = await forkWhile(0);
      expect(whole.error).toBeUndefined();
      const points = killPoints(whole.steps, 8);
      expect(points.length).toBeGreaterThan(5);
      for (const at of points) {
        expect([at, (await forkWhile(at)).error]).toEqual([at, expect.objectContaining({ code: 'DISK' })]);
        expect([at, await original()]).toEqual([at, before]);
        for (const forked of await listForks(rig.store, { ...toAddress(rig.record), isRun: true }))
          expect(isForkProved(await readEvents(rig.store.works, addressOf(forked)))).toBe(true);
      }
      await fork(rig, { target: copyBeside(rig, 'last') });
      expect(readdirSync(root).filter((name) => name.startsWith('.'))).toEqual([]);
    },
    300_000,
  );

  it('[W10] goes on to the end like the run that never was forked, also a fork of a fork', async () => {
    const rig = await completed();
    const first = await fork(rig, { at: { nodeId: 'decide-02' } });
    const second = await forkRun(
      { run: first.workId, at: { nodeId: 'decide-02' }, target: copyBeside(rig, 'second') },
      depsOf(rig),
    );
    const run = await openFork(rig, second, (SCRIPT as readonly never[]).slice(3));
    expect(run.engine.memory.state).toMatchObject({
      currentNodeId: 'decide-02',
      variables: { mood: 'calm' },
    });
    expect(await run.engine.resume()).toEqual({ phase: 'Completed' });
    await run.close();
    expect(await readFiles(second.folder)).toEqual(await readFiles(rig.project));
    const events = await readEvents(rig.store.works, addressOf(second));
    expect(events.filter(({ type }) => type === 'work.forked')).toHaveLength(2);
    expect(isForkProved(events)).toBe(true);
    expect(events.some((event) => event.type === 'state.changed' && event.isWhole)).toBe(false);
    const own = await readEvents(rig.store.works, toAddress(rig.record));
    const nodes = (list: typeof own) =>
      toEvidence(list[0]?.runId ?? '', list).visits.map(({ nodeId }) => nodeId);
    expect(nodes(events)).toEqual(nodes(own));
    await expectProved(addressOf(second), { store: rig.store, context: CONTEXT, now });
  });

  it('counts only what it spends itself in reports', async () => {
    const rig = await completed();
    const forked = await fork(rig);
    const tally = createRunTally(forked.workId);
    for (const event of await readEvents(rig.store.works, addressOf(forked))) tally.add(event);
    expect(tally.tally().models).toEqual({});
    expect(tally.tally().spent).toEqual({});
  });

  it('[W10] begins before the entry, at any visit of a node that was left twice, and at the visit of an event', async () => {
    const rig = await completed([
      write('notes.md', 'one'),
      finish('step-01', 'decide-02'),
      finish('decide-02', 'step-01'),
      write('notes.md', 'again'),
      finish('step-01', 'decide-02'),
      finish('decide-02', 'step-03'),
      finish('step-03', 'end-99'),
      finish('end-99'),
      'Done.',
    ]);
    const at = async (target: ForkRequest['at'], name: string) => {
      const { folder, nodeId, visit } = await fork(rig, { at: target, target: copyBeside(rig, name) });
      return [nodeId, visit, await readFile(join(folder, 'notes.md'), 'utf8')];
    };
    expect(await at({ nodeId: 'step-01', visit: 1 }, 'a')).toEqual(['step-01', 1, 'mine']);
    expect(await at({ nodeId: 'step-01' }, 'b')).toEqual(['step-01', 2, 'one']);
    expect(await at({ nodeId: 'decide-02', visit: 2 }, 'c')).toEqual(['decide-02', 2, 'again']);
    const { seq } = rig.eventsOf('tool.started').find(({ nodeId }) => nodeId === 'decide-02') ?? { seq: 0 };
    expect(await at({ seq }, 'd')).toEqual(['decide-02', 1, 'one']);
    expect((await refusalOf(fork(rig, { at: { nodeId: 'nowhere' } }))).message).toContain(
      'It was at: step-01, decide-02, step-01:2, decide-02:2, step-03, end-99.',
    );
  });

  it('[W12] takes another answer to a question, and variables that a person sets through the state gate', async () => {
    const asks = call('ui_ask_user', { questions: [{ id: 'name', prompt: 'Which name?' }] });
    const rig = await diskRigFor([asks, ...TO_THE_END]);
    expect(await rig.engine.start()).toMatchObject({ reason: { code: 'question' } });
    expect(await rig.engine.answer({ name: 'Ada' })).toEqual({ phase: 'Completed' });
    await rig.close();
    const forked = await fork(rig, { at: { nodeId: 'step-01' }, question: true, variables: { key: 'own' } });
    const run = await openFork(rig, forked, TO_THE_END);
    expect(run.record.reason).toEqual({
      code: 'question',
      message: 'The model asked you something.',
      details: { prompt: 'Which name?' },
    });
    expect(run.engine.memory.state.variables).toEqual({ key: 'own' });
    expect(await run.engine.answer({ name: 'Bob' })).toEqual({ phase: 'Completed' });
    await run.close();
    const events = await readEvents(rig.store.works, addressOf(forked));
    expect(events.filter(({ type }) => type === 'question.answered')).toMatchObject([
      { answers: { name: 'Bob' } },
    ]);
    expect((await refusalOf(fork(rig, { question: true }))).message).toContain(
      'was asked nothing at "step-03"',
    );
    const wrong = fork(rig, { variables: { key: 'x'.repeat(1_100_000) }, target: copyBeside(rig, 'none') });
    expect((await refusalOf(wrong)).code).toBe('E_WRITE_LIMIT');
    expect(existsSync(join(dirname(rig.project), 'none'))).toBe(false);
  });

  it('[W10] takes called runs along, and can begin at a step of one', async () => {
    const pkg = nestedPackage({
      '': { nodes: { start: {}, review: { calls: './review/workflow.md' }, done: { type: 'end' } } },
      review: { nodes: { check: {}, over: { type: 'end' } } },
    });
    const script: Script = [
      finish('start', 'review'),
      write('check.md', 'checked'),
      finish('check', 'over'),
      finish('over'),
      'Reviewed.',
      write('done.md', 'done'),
      finish('done'),
      'All done.',
    ];
    const rig = await createDiskRunRig({ package: pkg, model: createScriptedModel(script) });
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    await rig.close();
    const after = await fork(rig, { at: { nodeId: 'done' } });
    const [child] = await rig.store.works.children(addressOf(after));
    expect(await readFiles(after.folder)).toEqual({ 'README.md': '# Project\n', 'check.md': 'checked' });
    expect(child && (await rig.store.works.read(child))).toMatchObject({
      phase: 'Completed',
      parentId: after.workId,
      call: { rootId: after.workId },
    });
    expect(child && isForkProved(await readEvents(rig.store.works, child))).toBe(true);
    const calledId = rig.eventsOf('call.started')[0]?.childId ?? '';
    const inside = await fork(rig, {
      run: calledId,
      at: { nodeId: 'check' },
      target: copyBeside(rig, 'inside'),
    });
    expect(await readFiles(inside.folder)).toEqual({ 'README.md': '# Project\n' });
    const run = await openFork(rig, inside, (script as readonly never[]).slice(1));
    expect(run.engine.calledId).toBeDefined();
    expect(await run.engine.resume()).toEqual({ phase: 'Completed' });
    await run.close();
    expect(await readFiles(inside.folder)).toEqual(await readFiles(rig.project));
  });

  it('refuses a run that is in progress, and a folder that exists or is inside the project', async () => {
    const rig = await completed();
    const exists = await refusalOf(fork(rig, { target: { kind: 'copy', folder: rig.project } }));
    expect(exists.message).toContain('inside the project');
    mkdirSync(join(dirname(rig.project), 'there'));
    const there = await refusalOf(fork(rig, { target: copyBeside(rig, 'there') }));
    expect(there.message).toContain('exists already');
    const log = await rig.store.works.openLog(toAddress(rig.record), { now });
    log.append({ type: 'phase.changed', phase: 'Running' });
    await log.close();
    expect((await refusalOf(fork(rig))).code).toBe('RUN_NOT_READY');
  });
});

describe('the files of a fork', () => {
  it('[W11] change in the same folder only as they were shown, and can be undone', async () => {
    const rig = await completed();
    const before = await readFiles(rig.project);
    const { changes } = await planFork({ run: rig.record.workId, at: { nodeId: 'decide-02' } }, depsOf(rig));
    expect(changes).toEqual([
      { path: 'made/last.md', kind: 'deleted', isEdited: false },
      { path: 'notes.md', kind: 'changed', isEdited: false },
    ]);
    const at = { nodeId: 'decide-02' };
    const unseen = await refusalOf(fork(rig, { at, target: { kind: 'same', seen: ['notes.md'] } }));
    expect(unseen.code).toBe('FILE_CONFLICT');
    expect(await readFiles(rig.project)).toEqual(before);
    const seen = changes.map(({ path }) => path);
    const forked = await fork(rig, { at, target: { kind: 'same', seen } });
    expect(forked.folder).toBe(rig.project);
    const { 'made/last.md': _, ...rest } = before;
    expect(await readFiles(rig.project)).toEqual({ ...rest, 'notes.md': 'one' });
    expect(existsSync(join(rig.project, 'made'))).toBe(false);
    const opened = await openTreeChanges(addressOf(forked), { store: rig.store, now });
    const undone = await opened.undo({ callId: 'fork' });
    await opened.close();
    expect(undone.map(({ outcome }) => outcome).sort()).toEqual(['recreated', 'recreated', 'restored']);
    expect(await readFiles(rig.project)).toEqual(before);
  });

  it('[W11] a file that a person edited since is said to be, and one that cannot be rebuilt is named', async () => {
    const rig = await completed();
    await writeFile(join(rig.project, 'notes.md'), 'by hand');
    const plan = () => planFork({ run: rig.record.workId, at: { nodeId: 'step-03' } }, depsOf(rig));
    expect((await plan()).changes).toContainEqual({ path: 'notes.md', kind: 'changed', isEdited: true });
    const blobs = join(rig.paths.journal, 'blobs');
    for (const name of readdirSync(blobs)) rmSync(join(blobs, name));
    expect((await plan()).lost).toEqual(['notes.md']);
    const refused = await refusalOf(fork(rig));
    expect([refused.code, refused.message]).toEqual(['FILE_CONFLICT', expect.stringContaining('"notes.md"')]);
    expect(existsSync(copyBeside(rig).folder)).toBe(false);
    const forked = await fork(rig, { keepsLost: true });
    expect(forked.lost).toEqual(['notes.md']);
    expect(await readFile(join(forked.folder, 'notes.md'), 'utf8')).toBe('by hand');
    const events = await readEvents(rig.store.works, addressOf(forked));
    expect(events.find(({ type }) => type === 'work.forked')).toMatchObject({ lost: ['notes.md'] });
  });

  it('[W11] are in a worktree with what was not committed, and links stay links', async () => {
    const rig = await completed();
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', rig.project, ...args], { encoding: 'utf8' });
    const withoutGit = { target: { kind: 'worktree', folder: copyBeside(rig, 'tree').folder } } as const;
    expect((await refusalOf(fork(rig, withoutGit))).message).toContain('not in a git repository');
    git('init', '--quiet');
    git('add', 'README.md', 'data');
    git('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '--quiet', '-m', 'first');
    rmSync(join(rig.project, 'data/in.csv'));
    symlinkSync('README.md', join(rig.project, 'link.md'));
    const forked = await fork(rig, withoutGit);
    const { '.git': link, ...files } = await readFiles(forked.folder);
    expect(link).toContain('gitdir:');
    expect(files).toEqual({
      'README.md': '# Project\n',
      'link.md': '-> README.md',
      'notes.md': 'two',
      'src/first.md': 'first',
    });
    expect(git('worktree', 'list')).toContain(forked.folder);
    expect(git('status', '--porcelain')).toContain('?? link.md');
  });
});
