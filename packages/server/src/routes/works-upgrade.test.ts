import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeTree } from '../../../core/src/testing/file-tree.ts';
import { branchingPackage } from '../../../core/src/testing/packages/branching-package.ts';
import { createServerRig, prepare } from '../testing/server-rig.ts';

it('[S16] a run is moved to a newer version after a person has seen what changes, and goes on there', async () => {
  const rig = await createServerRig();
  const { works, packages } = rig.client;
  const files = branchingPackage();
  await writeTree(join(rig.root, 'one'), files);
  const [stepPath = ''] = Object.keys(files).filter((path) => path.startsWith('steps/'));
  await writeTree(join(rig.root, 'two'), {
    ...files,
    'bmad.json': (files['bmad.json'] ?? '').replace(/"version": ?"[^"]+"/, '"version": "9.0.0"'),
    [stepPath]: `${files[stepPath]}\nAnd one more thing.\n`,
  });
  const ready = await prepare(rig, join(rig.root, 'one'));
  const { workId } = await works.create({
    body: { ...ready, kind: 'run', model: 'rehearsal', isHeldBack: true },
  });
  expect(await works.showUpgrade({ workId })).toEqual({});

  await packages.importPath({ body: { path: join(rig.root, 'two') } });
  const { plan } = await works.showUpgrade({ workId });
  if (!plan) throw new Error('no plan');
  expect(plan).toMatchObject({ to: { version: '9.0.0' }, target: plan.nodeId, stale: [] });
  expect(plan.changes.nodes.changed).toHaveLength(1);
  expect(plan.nodes.map(({ id }) => id)).toContain(plan.nodeId);
  const move = (nodeId?: string) => works.upgrade({ workId, body: { to: plan.to.hash, nodeId } });
  await expect(move('nowhere')).rejects.toMatchObject({ code: 'RUN_NOT_READY' });
  expect((await works.show({ workId })).work.run?.package.version).toBe(plan.from);

  await move();
  const { work, view } = await works.show({ workId });
  expect(work.run?.package).toMatchObject(plan.to);
  expect(view.package).toMatchObject(plan.to);
  expect(await works.showUpgrade({ workId })).toEqual({});
  await works.resume({ workId, body: {} });
  const phase = async () => (await works.show({ workId })).work.phase;
  await expect.poll(phase, { timeout: 20_000 }).not.toBe('Running');
  expect(rig.bugs).toEqual([]);
});
