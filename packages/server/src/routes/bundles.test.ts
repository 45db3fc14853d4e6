import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../../../core/src/testing/temp-folder.ts';
import { createServerRig, HELLO_BRANCH, type ServerRig } from '../testing/server-rig.ts';

async function exported(rig: ServerRig, body: { passphrase?: string } = {}): Promise<Buffer> {
  const run = await rig.runtime.createWork({
    package: HELLO_BRANCH,
    projectPath: rig.project,
    model: { model: 'rehearsal' },
  });
  await run.engine.start();
  await run.close();
  const response = await rig.client.bundles.export({ workId: run.record.workId, body });
  expect(response.headers.get('content-disposition')).toMatch(
    /^attachment; filename="Hello_ branch \d{4}-\d\d-\d\d\.crewrun"; filename\*=UTF-8''Hello%2C%20branch/,
  );
  return Buffer.from(await response.arrayBuffer());
}

const upload = (rig: ServerRig, body: Buffer) =>
  rig.client.bundles.upload({ query: { name: 'plan.crewrun' }, body });

describe('runs in one file, over HTTP', () => {
  it('[W3] are shown with what continuing would change, and stored only then', async () => {
    const bytes = await exported(await createServerRig());
    const rig = await createServerRig();
    const { projectId } = await rig.client.projects.open({ body: { path: rig.project } });
    const { bundleId, shown } = await upload(rig, bytes);
    expect(shown).toMatchObject({ work: { title: 'Hello, branch' }, requests: { proved: 1 } });
    expect(await rig.client.bundles.plan({ bundleId, body: { projectId } })).toMatchObject({
      relation: 'new',
      conflicts: [],
    });
    expect((await rig.client.works.list({})).works).toEqual([]);
    const { workId } = await rig.client.bundles.adopt({ bundleId, body: { projectId } });
    expect((await rig.runtime.listRuns()).map((run) => run.workId)).toEqual([workId]);
    await expect(rig.client.bundles.discard({ bundleId })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(rig.bugs).toEqual([]);
  });

  it('[W5] are decrypted with their passphrase, and refused with a sentence; nothing stays of them', async () => {
    const bytes = await exported(await createServerRig(), { passphrase: 'correct horse' });
    const rig = await createServerRig();
    const { projectId } = await rig.client.projects.open({ body: { path: rig.project } });
    const { bundleId, shown } = await upload(rig, bytes);
    expect(shown).toBeUndefined();
    await expect(rig.client.bundles.plan({ bundleId, body: { projectId } })).rejects.toMatchObject({
      code: 'USAGE',
    });
    const unlock = (passphrase: string) => rig.client.bundles.unlock({ bundleId, body: { passphrase } });
    await expect(unlock('wrong')).rejects.toMatchObject({ code: 'TRANSFER_REFUSED' });
    expect((await unlock('correct horse')).shown).toMatchObject({ isEncrypted: true });
    await rig.client.bundles.discard({ bundleId });
    await expect(upload(rig, Buffer.from('# Notes'))).rejects.toMatchObject({ code: 'TRANSFER_REFUSED' });
    const missing = join(await tempFolder(), 'missing.crewrun');
    await expect(rig.client.bundles.openPath({ body: { path: missing } })).rejects.toMatchObject({
      code: 'DISK',
    });
    const left = await readdir(join(rig.root, 'store/packages'));
    expect(left.filter((name) => name.startsWith('.'))).toEqual([]);
    expect(await rig.client.bundles.keys()).toEqual({ keys: [] });
  });
});
