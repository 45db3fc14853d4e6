import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { removeInstalled } from './bmad/installed-packages.ts';
import { branchingPackage } from './testing/packages/branching-package.ts';
import { createRuntimeRig, type RuntimeRig } from './testing/rigs/runtime-rig.ts';
import { writeTree } from './testing/temp-folder.ts';

async function rigWithPackage(): Promise<RuntimeRig & { readonly pkg: string }> {
  const rig = await createRuntimeRig();
  const pkg = join(rig.root, 'package');
  await writeTree(pkg, branchingPackage());
  return { ...rig, pkg };
}

describe('making and opening runs', () => {
  it.each([
    [
      'a key that is not set',
      { model: 'm', baseUrl: 'http://127.0.0.1:1/v1', apiKeyEnv: 'NO_SUCH_KEY' },
      'USAGE',
    ],
    ['a recording that is not there', { replay: 'none.jsonl' }, 'CASSETTE_INVALID'],
    ['an address that is none', { model: 'm', baseUrl: 'file:///etc' }, 'USAGE'],
    ['no model at an address', { baseUrl: 'http://127.0.0.1:1/v1' }, 'USAGE'],
  ])('[A14] %s is one sentence and leaves no run behind', async (_, model, code) => {
    const { runtime, pkg, project } = await rigWithPackage();
    await expect(runtime.createWork({ package: pkg, projectPath: project, model })).rejects.toMatchObject({
      code,
    });
    expect(await runtime.listRuns()).toEqual([]);
  });

  it.each([
    ['package', { package: 'nothing-like-it' }, 'PACKAGE_NOT_FOUND'],
    ['package file', { package: './none.bmad' }, 'PACKAGE_NOT_FOUND'],
    ['workflow', { workflow: 'other' }, 'WORKFLOW_NOT_FOUND'],
    ['agent', { agent: 'nobody' }, 'AGENT_NOT_FOUND'],
    ['project', { projectPath: '/none/at/all' }, 'FOLDER_NOT_FOUND'],
  ])('[A14] an unknown %s is one sentence and leaves no run behind', async (_, wrong, code) => {
    const { runtime, pkg, project } = await rigWithPackage();
    const request = { package: pkg, projectPath: project, model: { model: 'rehearsal' }, ...wrong };
    await expect(runtime.createWork(request)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(/^[^\n]{20,200}\.$/) as string,
    });
    expect(await runtime.listRuns()).toEqual([]);
  });

  it('[A14] a run whose project folder is away waits for it', async () => {
    const rig = await rigWithPackage();
    const run = await rig.create({ package: rig.pkg, model: { model: 'rehearsal' } });
    await run.close();
    await rename(rig.project, `${rig.project}-away`);
    await expect(rig.runtime.openRun('last')).rejects.toMatchObject({ code: 'FOLDER_NOT_FOUND' });
    expect((await rig.showRun()).record.phase).toBe('WaitingUser');
    await rename(`${rig.project}-away`, rig.project);
    const again = await rig.runtime.openRun('last');
    expect(await again.engine.resume()).toEqual({ phase: 'Completed' });
    await again.close();
  });

  it('[A14] a run whose package is gone has failed until it is back', async () => {
    const rig = await rigWithPackage();
    const run = await rig.create({ package: rig.pkg, model: { model: 'rehearsal' } });
    await run.close();
    await removeInstalled(rig.runtime.store, 'sample', { force: true });
    await expect(rig.runtime.openRun('last')).rejects.toMatchObject({
      code: 'PACKAGE_NOT_FOUND',
      details: { phase: 'Failed' },
    });
    expect((await rig.showRun()).view.own.phase).toBe('Failed');
    const other = await rig.runtime.createWork({
      package: rig.pkg,
      projectPath: rig.project,
      model: { model: 'rehearsal' },
    });
    await other.close();
    const again = await rig.runtime.openRun(run.record.workId);
    expect(await again.engine.resume()).toEqual({ phase: 'Completed' });
    await again.close();
  });

  it('[A14] a model named later drives the run from then on', async () => {
    const rig = await rigWithPackage();
    const address = { model: 'm', baseUrl: 'http://127.0.0.1:9/v1' };
    const run = await rig.create({ package: rig.pkg, model: address });
    await run.close();
    const renamed = await rig.runtime.openRun('last', { model: { model: 'rehearsal' } });
    expect(await renamed.engine.resume()).toEqual({ phase: 'Completed' });
    await renamed.close();
    expect((await rig.showRun()).record.model).toEqual({ kind: 'rehearsal' });
  });

  it('[A14] the package of a run is the one it was started with, whatever becomes of its folder', async () => {
    const rig = await rigWithPackage();
    const run = await rig.create({ package: rig.pkg, model: { model: 'rehearsal' } });
    await mkdir(join(rig.pkg, 'steps'), { recursive: true });
    await writeFile(join(rig.pkg, 'steps/step-01.md'), 'broken');
    expect(await run.engine.start()).toEqual({ phase: 'Completed' });
  });
});
