import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toAddress } from '../../store/work-address.ts';
import { call, createScriptedModel, finish } from '../../testing/models/scripted-model.ts';
import { nestedPackage } from '../../testing/packages/nested-package.ts';
import { diskRigFor } from '../../testing/rigs/branching-run.ts';
import { createDiskRunRig, type DiskRunRig } from '../../testing/rigs/run-rig.ts';
import { readWorkflowState } from '../../workflow/workflow-state.ts';
import { openTreeChanges } from './open-tree-changes.ts';

const write = (path: string, content: string) => call('fs_write', { path, content });
const now = () => new Date('2026-01-31T09:30:00.000Z');

/** Of the document on disk, which is what the engine remembers, too. */
async function artifactsOf(rig: DiskRunRig): Promise<readonly string[]> {
  const read = await readWorkflowState(await rig.stateText());
  if (!read.ok) throw new Error(read.error.message);
  expect(rig.engine.memory.state.artifacts).toEqual(read.state.artifacts);
  return read.state.artifacts;
}

const written = () =>
  diskRigFor(
    [
      write('artifacts/one.md', '1'),
      finish('step-01', 'decide-02', { mark: 'k' }),
      write('artifacts/two.md', '2'),
      'Well?',
      'And now?',
    ],
    { settings: { tools: { approval: 'autopilot' } } },
  );

describe('artifacts after an undo', () => {
  it('[W20] leave the state when their files are gone, and a redo brings them back', async () => {
    const rig = await written();
    await rig.engine.start();
    expect(await artifactsOf(rig)).toEqual(['artifacts/one.md', 'artifacts/two.md']);
    const [, second] = rig.journal.list();
    await rig.undo({ callId: second?.callId ?? '' });
    expect(await artifactsOf(rig)).toEqual(['artifacts/one.md']);
    await rig.undo({ all: true });
    expect(await artifactsOf(rig)).toEqual([]);
    await rig.redo({ all: true });
    expect(await artifactsOf(rig)).toEqual(['artifacts/one.md', 'artifacts/two.md']);
    const again = await rig.reopen();
    expect(await artifactsOf(again)).toEqual(['artifacts/one.md', 'artifacts/two.md']);
    await again.engine.resume();
    expect(again.eventsOf('state.changed').filter(({ isWhole }) => isWhole)).toEqual([]);
  });

  it('[W20] stay when an undo restores the file as it was before the run', async () => {
    const rig = await diskRigFor([write('artifacts/old.md', 'new'), 'Well?'], {
      project: { 'artifacts/old.md': 'old' },
      settings: { tools: { approval: 'autopilot' } },
    });
    await rig.engine.start();
    await rig.undo({ all: true });
    expect(await artifactsOf(rig)).toEqual(['artifacts/old.md']);
  });

  it('[W20] leave it with a rewind that undoes files', async () => {
    const rig = await written();
    await rig.engine.start();
    await rig.rewind({ nodeId: 'decide-02', undoesFiles: true });
    expect(await artifactsOf(rig)).toEqual(['artifacts/one.md']);
    await rig.rewind({ nodeId: 'step-01', undoesFiles: false });
    expect(await artifactsOf(rig)).toEqual(['artifacts/one.md']);
    await rig.redo({ all: true });
    expect(await artifactsOf(rig)).toEqual(['artifacts/one.md', 'artifacts/two.md']);
    expect((await rig.reopen()).engine.memory.state.artifacts).toHaveLength(2);
  });

  it('[W20] are corrected in a run that is not open, as on the page, and in the runs above it', async () => {
    const rig = await createDiskRunRig({
      package: nestedPackage({
        '': { nodes: { start: {}, review: { calls: './review/workflow.md' }, done: { type: 'end' } } },
        review: { nodes: { check: {}, over: { type: 'end' } } },
      }),
      model: createScriptedModel([
        finish('start', 'review'),
        write('artifacts/verdict.md', 'good'),
        finish('check', 'over'),
        finish('over'),
        'Reviewed.',
        finish('done'),
        'All done.',
      ]),
      settings: { tools: { approval: 'autopilot' } },
    });
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    expect(await artifactsOf(rig)).toEqual(['artifacts/verdict.md']);
    await rig.close();
    const move = async (direction: 'undo' | 'redo') => {
      const changes = await openTreeChanges(toAddress(rig.record), { store: rig.store, now });
      try {
        return await changes[direction]({ all: true });
      } finally {
        await changes.close();
      }
    };
    expect(await move('undo')).toEqual([{ path: '@project/artifacts/verdict.md', outcome: 'deleted' }]);
    await expect(access(join(rig.project, 'artifacts/verdict.md'))).rejects.toThrow();
    const undone = await rig.reopen();
    expect(await artifactsOf(undone)).toEqual([]);
    await undone.close();
    await move('redo');
    expect(await artifactsOf(await rig.reopen())).toEqual(['artifacts/verdict.md']);
  });

  it('[W20] are left alone where the state document is damaged: the files are moved anyway', async () => {
    const rig = await written();
    await rig.engine.start();
    await rig.close();
    await rig.writeState('---\nartifacts: [\n---\n');
    const changes = await openTreeChanges(toAddress(rig.record), { store: rig.store, now });
    const files = await changes.undo({ all: true });
    await changes.close();
    expect(files.map(({ outcome }) => outcome)).toEqual(['deleted', 'deleted']);
    expect(await rig.stateText()).toBe('---\nartifacts: [\n---\n');
  });
});
