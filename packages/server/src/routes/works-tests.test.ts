import { cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ANSWERS, createServerRig, HELLO_BRANCH, prepare } from '../testing/server-rig.ts';

it('a completed run is saved as a test in the folder of its package', async () => {
  const rig = await createServerRig();
  const { works } = rig.client;
  const folder = join(rig.root, 'hello');
  await cp(HELLO_BRANCH, folder, { recursive: true });
  const ready = await prepare(rig, folder);
  const { workId } = await works.create({ body: { ...ready, kind: 'run', model: 'rehearsal' } });
  const read = async () => (await works.show({ workId })).view;
  await expect.poll(async () => (await read()).pending?.kind, { timeout: 20_000 }).toBe('question');
  const save = (name: string) => works.saveTest({ workId, body: { name } });
  await expect(save('early')).rejects.toMatchObject({ code: 'RUN_NOT_REPEATABLE' });
  const { pending } = await read();
  await works.answer({ workId, body: { callId: pending?.callId ?? '', answers: ANSWERS } });
  // What the page shows decides; the record of the run may still be behind.
  const shown = async () => (await works.show({ workId })).work.phase;
  await expect.poll(shown, { interval: 1, timeout: 20_000 }).toBe('Completed');
  expect(await save('Ship it')).toMatchObject({ folder, file: 'tests/ship-it.yaml', left: [] });
  expect(await readFile(join(folder, 'tests/ship-it.yaml'), 'utf8')).toContain('projectName: Nova');
  await expect(save('Ship it')).rejects.toMatchObject({ code: 'TARGET_EXISTS' });
  expect(await readdir(join(folder, 'tests'))).toContain('ship-it.cassette');
  expect(rig.bugs).toEqual([]);
});
