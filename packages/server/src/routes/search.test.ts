import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createServerRig, prepare } from '../testing/server-rig.ts';

const HELLO = join(import.meta.dirname, '../../../../examples/hello-branch');

it('[H41] the search finds a Work by its messages, and only in the given project', async () => {
  const rig = await createServerRig();
  const ready = await prepare(rig, HELLO);
  const body = { ...ready, kind: 'run', model: 'rehearsal', input: 'Nova the cat' } as const;
  const { workId } = await rig.client.works.create({ body });
  const find = (q: string, project?: string) => rig.client.search.find({ query: { q, project } });
  await expect.poll(async () => (await find('nova CAT')).works[0]?.workId, { timeout: 20_000 }).toBe(workId);
  expect((await find('nova', ready.projectId)).works).toHaveLength(1);
  expect((await find('nova', workId)).works).toEqual([]);
  await expect(find('')).rejects.toMatchObject({ status: 400 });
});

it('[H41] a run is found in its conversation, by the title of the run if the conversation has none', async () => {
  const rig = await createServerRig();
  const ready = await prepare(rig, HELLO);
  const body = { ...ready, kind: 'workflow', model: 'rehearsal' } as const;
  const { workId } = await rig.client.works.create({ body });
  const find = async () => (await rig.client.search.find({ query: { q: 'rehearsal' } })).works[0];
  await expect.poll(find, { timeout: 20_000 }).toMatchObject({ workId, title: 'Hello, branch' });
});
