import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toAddress } from '../store/work-address.ts';
import { writeTree } from '../testing/file-tree.ts';
import { createScriptedModel, finish } from '../testing/models/scripted-model.ts';
import { threadPackage } from '../testing/packages/thread-package.ts';
import { createDiskSessionRig } from '../testing/rigs/session-rig.ts';
import { findMountedFiles } from './find-mounted-files.ts';

const RUN = [finish('step-01', 'end-99'), finish('end-99'), 'All done.'];

describe('finding files of the package and the state', () => {
  it("[F23] finds files of the agent's package, then those of the active run", async () => {
    const rig = await createDiskSessionRig({ package: threadPackage(), model: createScriptedModel(RUN) });
    const find = async (mount: 'pkg' | 'state', text: string) =>
      (await findMountedFiles(toAddress(rig.session.record), { mount, text }, rig.store)).paths;
    expect(await find('pkg', 'stories')).toEqual(['@pkg/data/stories.csv']);
    expect(await find('state', '')).toEqual([]);
    await rig.session.input('go');
    expect(await find('state', '')).toEqual(['@state/workflow.md']);
    expect(await find('pkg', 'stories')).toEqual(['@pkg/data/stories.csv']);
    expect(await find('pkg', '../')).toEqual([]);
  });

  it('[F23] does not follow links out of the mount', async () => {
    const rig = await createDiskSessionRig({ package: threadPackage(), model: createScriptedModel(RUN) });
    const { state } = rig.paths;
    await mkdir(state, { recursive: true });
    await writeTree(rig.project, { 'secret/plan.md': '' });
    await symlink(join(rig.project, 'secret'), join(state, 'out'));
    await writeTree(state, { 'notes.md': '' });
    const { paths } = await findMountedFiles(
      toAddress(rig.session.record),
      { mount: 'state', text: '' },
      rig.store,
    );
    expect(paths).toEqual(['@state/notes.md']);
  });

  it('[F23] finds nothing without a package', async () => {
    const model = createScriptedModel([]);
    const rig = await createDiskSessionRig({ package: threadPackage(), model, kind: 'chat' });
    const found = await findMountedFiles(
      toAddress(rig.session.record),
      { mount: 'pkg', text: '' },
      rig.store,
    );
    expect(found).toEqual({ paths: [], isCut: false });
  });
});
