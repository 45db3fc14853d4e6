import { lstat, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { rigFor } from '../testing/branching-run.ts';
import { call } from '../testing/models/scripted-model.ts';

const isFolder = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => undefined))?.isDirectory() ?? false;

it('[L53] the artifacts folder exists when a run starts', async () => {
  const rig = await rigFor(['Hello.'], { settings: { tools: { artifactsDir: 'out/results' } } });
  await rig.engine.start();
  expect(await isFolder(join(rig.project, 'out/results'))).toBe(true);
});

it('[L53] a read-only run does not create it', async () => {
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

it('[L53] a folder that cannot be created does not stop the run, and nothing is created outside', async () => {
  const rig = await rigFor(['Hello.'], { settings: { tools: { artifactsDir: 'out/results' } } });
  const outside = join(rig.project, '../outside');
  await mkdir(outside);
  await symlink(outside, join(rig.project, 'out'));
  expect(await rig.engine.start()).toMatchObject({ reason: { code: 'reply' } });
  expect(await isFolder(join(outside, 'results'))).toBe(false);
});
