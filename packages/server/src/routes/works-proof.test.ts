import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeTree } from '../../../core/src/testing/file-tree.ts';
import { samplePackage, step } from '../../../core/src/testing/packages/sample-package.ts';
import { createServerRig, prepare } from '../testing/server-rig.ts';

it('[H27] [H28] a waiver continues a run that cannot leave its step, and is in its evidence', async () => {
  const rig = await createServerRig();
  const folder = join(rig.root, 'sample');
  // A rehearsal does not run commands, and cannot prove this.
  const keys = 'verify: [{run: npm test}]\n';
  await writeTree(folder, samplePackage(undefined, { 'steps/step-01.md': step('step-01', 'step', keys) }));
  const ready = await prepare(rig, folder);
  const { workId } = await rig.client.works.create({ body: { ...ready, kind: 'run', model: 'rehearsal' } });
  const phase = async () => (await rig.client.works.show({ workId })).work.phase;
  await expect.poll(phase, { timeout: 20_000 }).toBe('WaitingUser');
  const waive = (body: { check?: string; reason: string }) => rig.client.works.waive({ workId, body });
  await expect(waive({ check: 'other.md', reason: 'x' })).rejects.toMatchObject({ code: 'USAGE' });
  await expect(waive({ reason: '' })).rejects.toMatchObject({ code: 'USAGE' });
  const sheet = () => rig.client.works.evidence({ workId });
  expect(await sheet()).toMatchObject({ isProved: false, visits: [{ nodeId: 'step-01', outcome: 'open' }] });
  await waive({ reason: 'Tested by hand.' });
  await expect.poll(phase, { timeout: 20_000 }).toBe('Completed');
  expect(await sheet()).toMatchObject({
    isProved: false,
    totals: { waived: 1 },
    waivers: [{ check: 'verify: npm test', reason: 'Tested by hand.', nodeId: 'step-01' }],
  });
  expect(rig.bugs).toEqual([]);
});
