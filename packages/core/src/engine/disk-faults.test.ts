import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { lstat, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { foldStory } from '@crewagent/protocol/story/fold-story';
import { describe, expect, it } from 'vitest';
import { call, createScriptedModel } from '../testing/models/scripted-model.ts';
import { diskRigFor, rigFor, TO_THE_END } from '../testing/rigs/branching-run.ts';
import type { RunRig } from '../testing/rigs/run-rig.ts';
import { canMount, mountSmallDisk } from '../testing/small-disk.ts';

/** The results that the model got. */
const results = (rig: RunRig) => rig.eventsOf('tool.ended').map(({ outcome }) => outcome);
const FULL = {
  phase: 'WaitingUser',
  reason: { code: 'DISK_FULL', message: 'The disk is full. Free some space, then Resume.' },
};

describe.runIf(canMount)('a disk with a fault', () => {
  it('[L102] a full disk pauses the run at once, and a resume makes the very call again', async () => {
    const rig = await rigFor([
      call('fs_write', { path: 'artifacts/big.md', content: 'x'.repeat(30_000) }),
      ...TO_THE_END,
    ]);
    const disk = mountSmallDisk(rig.project, 'size=16k');
    expect(await rig.engine.start()).toMatchObject(FULL);
    expect(rig.eventsOf('turn.started')).toHaveLength(1);
    expect(results(rig)).toEqual([]);
    expect(foldStory(rig.record.workId, rig.events).timeline).toContainEqual(
      expect.objectContaining({ kind: 'tool', status: 'asked' }),
    );
    expect(await rig.engine.resume()).toMatchObject(FULL);
    disk.change('size=1m');
    expect(await rig.engine.resume()).toEqual({ phase: 'Completed' });
    expect(new Set(results(rig))).toEqual(new Set(['ok']));
    expect(readdirSync(join(rig.project, 'artifacts')).sort()).toEqual(['big.md', 'k.md']);
  });

  it('[L102] an approved change that the disk refused is not asked about again, also after a restart', async () => {
    const model = createScriptedModel([
      call('fs_write', { path: 'big.md', content: 'x'.repeat(30_000) }),
      ...TO_THE_END,
    ]);
    const rig = await rigFor([], { model, settings: { tools: { approval: 'ask' } } });
    const disk = mountSmallDisk(rig.project, 'size=16k');
    expect(await rig.engine.start()).toMatchObject({ reason: { code: 'approval' } });
    expect(await rig.engine.approve({ decision: 'once' })).toMatchObject(FULL);
    const reopened = await rig.reopen(model);
    disk.change('size=1m');
    expect(await reopened.engine.resume()).toEqual({ phase: 'Completed' });
    expect(reopened.eventsOf('approval.requested')).toEqual([]);
    expect(new Set(results(reopened))).toEqual(new Set(['ok']));
  });

  it('[L102] a full disk of the store, which keeps the former content, pauses the run as well', async () => {
    const rig = await diskRigFor([
      call('fs_write', { path: 'artifacts/big.md', content: 'x'.repeat(300_000) }),
      ...TO_THE_END,
    ]);
    await mkdir(rig.paths.journal);
    const disk = mountSmallDisk(rig.paths.journal, 'size=16k');
    const { engine } = await rig.reopen();
    expect(await engine.start()).toMatchObject(FULL);
    disk.change('size=1m');
    expect(await engine.resume()).toEqual({ phase: 'Completed' });
  });

  it('[L102] a read-only disk pauses the run, and a resume makes the call again', async () => {
    const rig = await rigFor(TO_THE_END);
    const disk = mountSmallDisk(rig.project, 'size=1m');
    disk.change('ro');
    expect(await rig.engine.start()).toMatchObject({
      phase: 'WaitingUser',
      reason: { code: 'DISK_READ_ONLY' },
    });
    disk.change('rw');
    expect(await rig.engine.resume()).toEqual({ phase: 'Completed' });
    expect(new Set(results(rig))).toEqual(new Set(['ok']));
  });

  it('[L102] a read-only disk inside of the project is an answer for the model', async () => {
    const rig = await rigFor([call('fs_write', { path: 'data/a.md', content: 'a' }), ...TO_THE_END], {
      project: { 'data/README.md': '' },
    });
    mountSmallDisk(join(rig.project, 'data'), 'size=1m,ro');
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    expect(results(rig)[0]).toBe('failed');
  });
});

describe('a missing folder', () => {
  const missing = (code: string) => ({ phase: 'WaitingUser', reason: { code } });

  it.each([
    ['written to', call('fs_write', { path: 'a.md', content: 'a' })],
    ['read', call('fs_read', { path: 'README.md' })],
    ['listed', call('fs_list', { path: '@project' })],
    ['searched', call('fs_search', { query: 'a' })],
    ['not used', call('fs_read', { path: '@pkg/bmad.json' })],
  ])(
    '[L102] a project that is gone when it is %s pauses the run at once; a resume makes the call again',
    async (_, first) => {
      const rig = await rigFor((_request, index) => {
        if (index === 0) renameSync(rig.project, `${rig.project}-moved`);
        return [first, ...TO_THE_END][index] ?? 'Hm.';
      });
      expect(await rig.engine.start()).toMatchObject(missing('FOLDER_NOT_FOUND'));
      expect(rig.eventsOf('turn.started')).toHaveLength(1);
      renameSync(`${rig.project}-moved`, rig.project);
      expect(await rig.engine.resume()).toEqual({ phase: 'Completed' });
      expect(new Set(results(rig))).toEqual(new Set(['ok']));
    },
  );

  it('[L102] a project that is gone when a run starts stops it before the first request', async () => {
    const rig = await rigFor(TO_THE_END);
    rmSync(rig.project, { recursive: true });
    expect(await rig.engine.start()).toMatchObject(missing('FOLDER_NOT_FOUND'));
    expect(rig.eventsOf('turn.started')).toEqual([]);
    expect(JSON.stringify(rig.events)).not.toContain(rig.project);
  });

  it('[L102] a file in the place of the project pauses the run', async () => {
    const rig = await rigFor(TO_THE_END);
    rmSync(rig.project, { recursive: true });
    writeFileSync(rig.project, '');
    expect(await rig.engine.start()).toMatchObject(missing('FOLDER_NOT_FOUND'));
  });
});

const isFolder = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => undefined))?.isDirectory() ?? false;

it('the artifacts folder exists when a run starts', async () => {
  const rig = await rigFor(['Hello.'], { settings: { tools: { artifactsDir: 'out/results' } } });
  await rig.engine.start();
  expect(await isFolder(join(rig.project, 'out/results'))).toBe(true);
});

it('a read-only run does not create it', async () => {
  const rig = await rigFor(['Hello.'], { settings: { tools: { approval: 'read-only' } } });
  await rig.engine.start();
  expect(await isFolder(join(rig.project, 'artifacts'))).toBe(false);
});

it('[T24] a read-only run moves on to its next node', async () => {
  const settings = { tools: { approval: 'read-only' } } as const;
  const rig = await rigFor(
    [call('runtime_complete_node', { nodeId: 'step-01', next: 'decide-02' }), 'Next?'],
    { settings },
  );
  await rig.engine.start();
  expect(rig.engine.memory.state.currentNodeId).toBe('decide-02');
});

it('a folder that cannot be created does not stop the run, and nothing is created outside', async () => {
  const rig = await rigFor(['Hello.'], { settings: { tools: { artifactsDir: 'out/results' } } });
  const outside = join(rig.project, '../outside');
  await mkdir(outside);
  await symlink(outside, join(rig.project, 'out'));
  expect(await rig.engine.start()).toMatchObject({ reason: { code: 'reply' } });
  expect(await isFolder(join(outside, 'results'))).toBe(false);
});
