import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { toEvidence } from '@crewagent/protocol/evidence';
import { describe, expect, it } from 'vitest';
import { sha256Of } from '../base/sha256.ts';
import { importPackage } from '../bmad/import-package.ts';
import { readStale, readStaleRuns } from '../file-use/read-stale.ts';
import { listForks } from '../fork/compare-runs.ts';
import { isForkProved } from '../fork/fork-log.ts';
import type { Forked } from '../fork/fork-run.ts';
import { openRun } from '../session/open-run.ts';
import { toAddress } from '../store/work-address.ts';
import { readTree, writeTree } from '../testing/file-tree.ts';
import { killPoints } from '../testing/kill-points.ts';
import { canLosePower, watchDisk } from '../testing/lossy-disk.ts';
import { call, createScriptedModel, finish, type Script } from '../testing/models/scripted-model.ts';
import { branchingPackage } from '../testing/packages/branching-package.ts';
import { nestedPackage } from '../testing/packages/nested-package.ts';
import { step } from '../testing/packages/sample-package.ts';
import { diskRigFor } from '../testing/rigs/branching-run.ts';
import { CONTEXT, createRunRig, type DiskRunRig, type RunRig } from '../testing/rigs/run-rig.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { readEvents } from '../transfer/pack-works.ts';
import { openCarryOver } from './carry-over.ts';
import { planRerun, rerunStale } from './rerun-stale.ts';

const read = (path: string) => call('fs_read', { path });
const write = (path: string, content: string) => call('fs_write', { path, content });
let clock = Date.parse('2026-01-31T09:30:01.000Z');
const now = (): Date => new Date(clock++);
const OPTIONS = {
  project: { 'docs/prd.md': 'first', 'docs/style.md': 'plain' },
  settings: { tools: { approval: 'autopilot' } },
};

/** step-01 reads the requirements, decide-02 the style, step-03 the results of both. */
const SCRIPT: Script = [
  read('docs/prd.md'),
  write('artifacts/plan.md', 'plan of first'),
  finish('step-01', 'decide-02', { mark: 'k' }),
  read('docs/style.md'),
  write('artifacts/style.md', 'plain style'),
  finish('decide-02', 'step-03', { mood: 'calm' }),
  read('artifacts/plan.md'),
  read('artifacts/style.md'),
  write('artifacts/story.md', 'story of first'),
  finish('step-03', 'end-99'),
  finish('end-99'),
  'Done.',
];

const depsOf = ({ store }: Pick<RunRig, 'store'>) => ({ store, context: CONTEXT, env: {}, now });
const addressOf = ({ projectId, workId }: Pick<Forked, 'projectId' | 'workId'>) =>
  ({ projectId, workId, isRun: true }) as const;
const edit = (rig: RunRig, path: string, text: string) => writeFile(join(rig.project, path), text);
const textOf = (rig: RunRig, path: string) => readFile(join(rig.project, path), 'utf8');

async function completed(script = SCRIPT, pkg = branchingPackage()): Promise<DiskRunRig> {
  const rig = await diskRigFor(script, { ...OPTIONS, package: pkg });
  expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
  await rig.close();
  return rig;
}

const planOf = (rig: RunRig) => planRerun(rig.record.workId, depsOf(rig));

async function rerun(rig: RunRig): Promise<Forked> {
  const { id: seen } = await planOf(rig);
  return rerunStale({ run: rig.record.workId, seen }, depsOf(rig));
}

function open(rig: RunRig, forked: Forked, script: Script) {
  return openRun(addressOf(forked), {
    store: rig.store,
    context: CONTEXT,
    now,
    createAdapter: () => Promise.resolve(createScriptedModel(script)),
    openCarryOver: async (record) => openCarryOver(record, depsOf(rig)),
    onBug: (_, error) => {
      throw error;
    },
  });
}

/** What became of each node in the rerun. */
async function outcomesOf(rig: RunRig, { workId, projectId }: Forked) {
  const events = await readEvents(rig.store.works, addressOf({ workId, projectId }));
  const { visits } = toEvidence(workId, events);
  return visits.map(({ nodeId, outcome, turns }) =>
    outcome === 'carried' ? `${nodeId} carried` : `${nodeId} ${turns > 0 ? 'made' : 'not made'}`,
  );
}

async function finished(rig: RunRig, script: Script) {
  const forked = await rerun(rig);
  const run = await open(rig, forked, script);
  expect(await run.engine.resume()).toEqual({ phase: 'Completed' });
  await run.close();
  return forked;
}

/** `at`: the step that finds the disk full, 0 for none. */
async function whileFull({ project }: RunRig, at: number, act: () => Promise<unknown>) {
  let steps = 0;
  const disk = await watchDisk(dirname(project), {
    onStep: () => {
      if (++steps === at) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    },
  });
  const error = await act().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  disk.stop();
  return { steps, error };
}

const rerunsOf = async ({ store, record }: RunRig) =>
  (await listForks(store, { ...toAddress(record), isRun: true })).map(addressOf);

describe('a rerun of what is out of date', () => {
  it('[W24] runs the stale step and those whose files really change, and carries the others over', async () => {
    const rig = await completed();
    await edit(rig, 'docs/prd.md', 'second');
    const plan = await planOf(rig);
    expect(plan.first).toEqual({ nodeId: 'step-01', visit: 1 });
    expect(plan.steps.map(({ nodes: [node], does }) => `${node} ${does}`)).toEqual([
      'step-01 again',
      'decide-02 carried',
      'step-03 maybe',
      'end-99 carried',
    ]);
    const before = await readEvents(rig.store.works, toAddress(rig.record));
    const forked = await finished(rig, [
      read('docs/prd.md'),
      write('artifacts/plan.md', 'plan of second'),
      finish('step-01', 'decide-02', { mark: 'k' }),
      read('artifacts/plan.md'),
      write('artifacts/story.md', 'story of second'),
      finish('step-03', 'end-99'),
      'Done.',
    ]);
    expect(forked.folder).toBe(rig.project);
    expect(await outcomesOf(rig, forked)).toEqual([
      'step-01 made',
      'decide-02 carried',
      'step-03 made',
      'end-99 carried',
    ]);
    expect(await textOf(rig, 'artifacts/story.md')).toBe('story of second');
    expect(await textOf(rig, 'artifacts/style.md')).toBe('plain style');
    expect(await readEvents(rig.store.works, toAddress(rig.record))).toEqual(before);
    const again = await rig.store.works.openState(addressOf(forked)).read();
    for (const known of ['mood: calm', 'mark: k', '- artifacts/style.md', '- decide-02'])
      expect(again.text).toContain(known);
    expect(await readStale(addressOf(forked), depsOf(rig))).toEqual([]);
    // What the rerun carried over is its result: the original has none that is out of date.
    expect(await readStaleRuns(rig.record.projectId, depsOf(rig))).toEqual([]);
    await edit(rig, 'docs/style.md', 'ornate');
    const [stale, ...others] = await readStaleRuns(rig.record.projectId, depsOf(rig));
    expect([stale?.record.workId, others]).toEqual([forked.workId, []]);
  });

  it('[W24] stops early where a step writes the same content again', async () => {
    const rig = await completed();
    await edit(rig, 'docs/prd.md', 'second');
    const forked = await finished(rig, [
      read('docs/prd.md'),
      write('artifacts/plan.md', 'plan of first'),
      finish('step-01', 'decide-02', { mark: 'k' }),
      'Done.',
    ]);
    expect(await outcomesOf(rig, forked)).toEqual([
      'step-01 made',
      'decide-02 carried',
      'step-03 carried',
      'end-99 carried',
    ]);
    expect(await readStale(addressOf(forked), depsOf(rig))).toEqual([]);
  });

  it.skipIf(!canLosePower)(
    '[W24] exists whole or not at all, and goes on, whichever write finds a full disk; the original does not change by a byte',
    async () => {
      const rig = await completed();
      await edit(rig, 'docs/prd.md', 'second');
      const original = async () => ({
        run: await readTree(rig.paths.folder),
        files: await readTree(rig.project),
      });
      const before = await original();
      // What is hashed and remembered the first time is known from then on.
      await rerun(rig);
      const made = await whileFull(rig, 0, () => rerun(rig));
      expect(made.error).toBeUndefined();
      for (const at of killPoints(made.steps, 6)) {
        expect([at, (await whileFull(rig, at, () => rerun(rig))).error]).toEqual([
          at,
          expect.objectContaining({ code: 'DISK' }),
        ]);
        expect([at, await original()]).toEqual([at, before]);
        for (const address of await rerunsOf(rig))
          expect(isForkProved(await readEvents(rig.store.works, address))).toBe(true);
      }
      const script: Script = [
        read('docs/prd.md'),
        write('artifacts/plan.md', 'plan of first'),
        finish('step-01', 'decide-02', { mark: 'k' }),
        'Done.',
      ];
      const play = async (forked: Forked, rest: Script) => {
        const run = await open(rig, forked, rest);
        try {
          await run.engine.resume();
        } finally {
          await run.close();
        }
      };
      const first = await rerun(rig);
      const whole = await whileFull(rig, 0, () => play(first, script));
      const points = killPoints(whole.steps, 6);
      expect([whole.error, points.length > 4]).toEqual([undefined, true]);
      for (const at of points) {
        const forked = await rerun(rig);
        await whileFull(rig, at, () => play(forked, script));
        // The same step again, however far it came.
        const run = await open(rig, forked, script);
        await run.engine.resume().catch(() => undefined);
        await run.close();
        expect([at, await outcomesOf(rig, forked)]).toEqual([at, await outcomesOf(rig, first)]);
        expect([at, await original()]).toEqual([at, before]);
      }
    },
    300_000,
  );

  it('[W24] says of a carried step where it comes from, with its hashes, and never that it is proved', async () => {
    const rig = await completed();
    await edit(rig, 'docs/prd.md', 'second');
    const forked = await finished(rig, [
      write('artifacts/plan.md', 'plan of first'),
      finish('step-01', 'decide-02', { mark: 'k' }),
      'Done.',
    ]);
    const events = await readEvents(rig.store.works, addressOf(forked));
    const sheet = toEvidence(forked.workId, events);
    expect(sheet.isProved).toBe(false);
    expect(sheet.totals).toMatchObject({ carried: 3, proved: 0 });
    expect(sheet.visits[1]).toMatchObject({
      nodeId: 'decide-02',
      outcome: 'carried',
      turns: 0,
      carriedFrom: { runId: rig.record.workId, visit: 1, outcome: 'nothing' },
      carriedFiles: [
        { kind: 'read', path: '@project/docs/style.md', sha256: sha256Of(Buffer.from('plain')) },
        { kind: 'write', path: '@project/artifacts/style.md', sha256: sha256Of(Buffer.from('plain style')) },
      ],
    });
  });

  it('[W24] runs everything after a step that decides otherwise', async () => {
    const rig = await completed();
    await edit(rig, 'docs/style.md', 'ornate');
    expect((await planOf(rig)).first?.nodeId).toBe('decide-02');
    const forked = await finished(rig, [
      finish('decide-02', 'step-01'),
      read('docs/prd.md'),
      finish('step-01', 'decide-02', { mark: 'k' }),
      finish('decide-02', 'step-03'),
      finish('step-03', 'end-99'),
      finish('end-99'),
      'Done.',
    ]);
    expect((await outcomesOf(rig, forked)).slice(1)).toEqual([
      'decide-02 made',
      'step-01 made',
      'decide-02 made',
      'step-03 made',
      'end-99 made',
    ]);
  });

  it('[W24] runs a step whose text names a variable that has another value now', async () => {
    const pkg = branchingPackage({ 'steps/step-03.md': `${step('step-03')}\nKeep to {mark}.\n` });
    const rig = await completed(SCRIPT, pkg);
    await edit(rig, 'docs/prd.md', 'second');
    const forked = await finished(rig, [
      write('artifacts/plan.md', 'plan of first'),
      finish('step-01', 'decide-02', { mark: 'other' }),
      finish('step-03', 'end-99'),
      'Done.',
    ]);
    expect(await outcomesOf(rig, forked)).toEqual([
      'step-01 made',
      'decide-02 carried',
      'step-03 made',
      'end-99 carried',
    ]);
  });

  it('has nothing to do where nothing is out of date, and refuses a plan that is not the one of now', async () => {
    const rig = await completed();
    const plan = await planOf(rig);
    expect(plan).toEqual({ id: '', runId: rig.record.workId, steps: [] });
    const request = { run: rig.record.workId, seen: plan.id };
    await expect(rerunStale(request, depsOf(rig))).rejects.toMatchObject({ code: 'RUN_NOT_READY' });
    await edit(rig, 'docs/prd.md', 'second');
    await expect(rerunStale(request, depsOf(rig))).rejects.toMatchObject({ code: 'FILE_CONFLICT' });
  });

  it('[W24] makes a step again whose result is gone, and asks a step for an input that is gone', async () => {
    const rig = await completed();
    await rm(join(rig.project, 'docs/prd.md'));
    await rm(join(rig.project, 'artifacts/style.md'));
    const { steps } = await planOf(rig);
    expect(steps[0]).toMatchObject({ does: 'again', reasons: [{ kind: 'removed' }] });
    const forked = await finished(rig, [
      write('artifacts/plan.md', 'plan of first'),
      finish('step-01', 'decide-02', { mark: 'k' }),
      read('docs/style.md'),
      write('artifacts/style.md', 'plain style'),
      finish('decide-02', 'step-03', { mood: 'calm' }),
      'Done.',
    ]);
    expect((await outcomesOf(rig, forked)).slice(0, 3)).toEqual([
      'step-01 made',
      'decide-02 made',
      'step-03 carried',
    ]);
  });

  it('[W24] uses the newer version of the package whose step is another one', async () => {
    const rig = await completed();
    const files = branchingPackage();
    const folder = await tempFolder();
    const manifest = JSON.parse(String(files['bmad.json'])) as Record<string, unknown>;
    await writeTree(folder, {
      ...files,
      'bmad.json': JSON.stringify({ ...manifest, version: '99.0.0' }),
      'steps/decide-02.md': `${String(files['steps/decide-02.md'])}\nIn verse.\n`,
    });
    await importPackage(folder, rig.store, CONTEXT);
    expect(await planOf(rig)).toMatchObject({ first: { nodeId: 'decide-02' }, version: '99.0.0' });
    // Wherever it ends, it has that version or does not exist: the step of before is the same as then, and would be carried over.
    for (let at = 1; (await whileFull(rig, at, () => rerun(rig))).error; at++)
      for (const address of await rerunsOf(rig))
        expect([at, await rig.store.works.read(address)]).toMatchObject([at, { packageVersion: '99.0.0' }]);
    const forked = await finished(rig, [
      write('artifacts/style.md', 'plain style'),
      finish('decide-02', 'step-03', { mood: 'calm' }),
      'Done.',
    ]);
    expect(await rig.store.works.read(addressOf(forked))).toMatchObject({ packageVersion: '99.0.0' });
    expect((await outcomesOf(rig, forked)).slice(-2)).toEqual(['step-03 carried', 'end-99 carried']);
  });

  it('[W24] enters a called workflow for its stale step only, and goes on after it is opened again', async () => {
    const pkg = nestedPackage({
      '': { nodes: { start: {}, review: { calls: './review/workflow.md' }, done: { type: 'end' } } },
      review: { nodes: { check: {}, score: {}, over: { type: 'end' } } },
    });
    const script: Script = [
      finish('start', 'review'),
      read('docs/style.md'),
      write('check.md', 'checked'),
      finish('check', 'score'),
      read('docs/prd.md'),
      write('score.md', 'one'),
      finish('score', 'over'),
      finish('over'),
      'Reviewed.',
      finish('done'),
      'All done.',
    ];
    const rig = await createRunRig({ package: pkg, model: createScriptedModel(script), ...OPTIONS });
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    await rig.close();
    await edit(rig, 'docs/prd.md', 'second');
    const plan = await planOf(rig);
    expect(plan.first).toEqual({ nodeId: 'review', visit: 1 });
    expect(plan.steps.map(({ nodes, does }) => `${nodes.join('/')} ${does}`)).toEqual([
      'review/check carried',
      'review/score again',
      'review/over carried',
      'done carried',
    ]);
    const forked = await rerun(rig);
    const first = await open(rig, forked, [read('docs/prd.md'), 'Well?']);
    expect(await first.engine.resume()).toMatchObject({ phase: 'WaitingUser' });
    await first.close();
    const run = await open(rig, forked, [
      write('score.md', 'two'),
      finish('score', 'over'),
      'Reviewed.',
      'All done.',
    ]);
    expect(await run.engine.resume()).toEqual({ phase: 'Completed' });
    await run.close();
    const [child] = await rig.store.works.children(addressOf(forked));
    const events = child ? await readEvents(rig.store.works, child) : [];
    const carried = events.flatMap((event) => (event.type === 'visit.carried' ? [event.nodeId] : []));
    expect(carried).toEqual(['check', 'over']);
    expect(await outcomesOf(rig, forked)).toEqual(['start made', 'review not made', 'done carried']);
    expect([await textOf(rig, 'check.md'), await textOf(rig, 'score.md')]).toEqual(['checked', 'two']);
  });
});
