import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeTree } from '../../../core/src/testing/file-tree.ts';
import { branchingPackage } from '../../../core/src/testing/packages/branching-package.ts';
import { createServerRig, prepare, type ServerRig } from '../testing/server-rig.ts';

async function completed(rig: ServerRig) {
  const { works } = rig.client;
  await writeTree(join(rig.root, 'package'), branchingPackage());
  const ready = await prepare(rig, join(rig.root, 'package'));
  const { workId } = await works.create({ body: { ...ready, kind: 'run', model: 'rehearsal' } });
  const phase = async () => (await works.show({ workId })).work.phase;
  await expect.poll(phase, { timeout: 20_000 }).toBe('Completed');
  return workId;
}

it('[W10] a run is forked at a step after its plan was shown, goes on, and both name each other', async () => {
  const rig = await createServerRig();
  const { works } = rig.client;
  const workId = await completed(rig);
  const at = { nodeId: 'decide-02', visit: 1 };
  const plan = await works.planFork({ workId, body: { at } });
  const { view } = await works.show({ workId });
  const title = view.nodes.find(({ id }) => id === at.nodeId)?.title;
  expect(plan).toMatchObject({ workId, ...at, title, lost: [], isRepository: false });
  const target = { kind: 'copy', folder: plan.folder } as const;
  const forked = await works.fork({ workId, body: { at, target, variables: { mood: 'calm' } } });
  expect(existsSync(join(forked.folder, 'README.md'))).toBe(true);
  const { work, state } = await works.show({ workId: forked.workId });
  expect([work.phase, work.forkedFrom]).toEqual(['WaitingUser', expect.objectContaining({ workId, ...at })]);
  expect(state).toBeDefined();
  const { forks } = await works.forks({ workId });
  expect(forks).toMatchObject([{ workId: forked.workId, ...at }]);
  await works.resume({ workId: forked.workId, body: {} });
  const phase = async () => (await works.show({ workId: forked.workId })).work.phase;
  await expect.poll(phase, { timeout: 20_000 }).toBe('Completed');

  const ids = `${workId},${forked.workId}`;
  const { runs, rows } = await works.compare({ query: { works: ids } });
  expect(runs.map((run) => run.workId)).toEqual([workId, forked.workId]);
  expect(rows).toContainEqual({ part: 'variables', key: 'mood', values: [null, 'calm'], isSame: false });
  const missing = works.compareFile({ query: { works: ids, path: 'nothing.md' } });
  await expect(missing).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  await expect(works.compare({ query: { works: workId } })).rejects.toMatchObject({ code: 'USAGE' });
  const again = works.fork({ workId, body: { at, target } });
  await expect(again).rejects.toMatchObject({ code: 'USAGE' });
  const unseen = works.fork({ workId, body: { at, target: { kind: 'same', seen: ['other.md'] } } });
  await expect(unseen).rejects.toMatchObject({ code: 'FILE_CONFLICT' });
  expect(rig.bugs).toEqual([]);
});

it('[W24] what is out of date is run again after its plan was shown; a plan of before is refused', async () => {
  const rig = await createServerRig();
  const { works } = rig.client;
  const method = join(rig.root, 'package/method.md');
  await writeTree(join(rig.root, 'package'), {
    'method.md':
      '---\nname: two\n---\n\n## First\n\nWrite it.\n\nReads: a.md\nProduces: artifacts/a.md\n\n## Close\n\nSay so.\n',
  });
  const ready = await prepare(rig, method);
  const { path: project } = await rig.runtime.store.projects.read(ready.projectId);
  await writeFile(join(project, 'a.md'), 'first');
  const { workId } = await works.create({ body: { ...ready, kind: 'run', model: 'rehearsal' } });
  const phaseOf = (id: string) => async () => (await works.show({ workId: id })).work.phase;
  await expect.poll(phaseOf(workId), { timeout: 20_000 }).toBe('Completed');
  expect(await works.planRerun({ workId })).toEqual({ id: '', runId: workId, steps: [] });
  await writeFile(join(project, 'a.md'), 'second');
  const plan = await works.planRerun({ workId });
  expect(plan).toMatchObject({ first: { nodeId: 'first' }, steps: [{ does: 'again' }, { does: 'carried' }] });
  await expect(works.rerun({ workId, body: { seen: 'other' } })).rejects.toMatchObject({
    code: 'FILE_CONFLICT',
  });
  const rerun = await works.rerun({ workId, body: { seen: plan.id } });
  await works.resume({ workId: rerun.workId, body: {} });
  await expect.poll(phaseOf(rerun.workId), { timeout: 20_000 }).toBe('Completed');
  expect((await works.evidence({ workId: rerun.workId })).totals).toMatchObject({ carried: 1 });
  expect(await works.undeclared({ workId })).toMatchObject({ files: [] });
  expect(rig.bugs).toEqual([]);
});
