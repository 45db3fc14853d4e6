import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeTree } from '../../../core/src/testing/file-tree.ts';
import { zipOf } from '../../../core/src/testing/packages/raw-zip.ts';
import { createServerRig, type ServerRig } from '../testing/server-rig.ts';

const SOURCE = {
  'module.yaml': 'code: birds\n',
  'workflows/count/workflow.md':
    '# Count birds\n\nRun `git log` for the numbers.\n\nFollow steps/step-01-look.md\n',
  'workflows/count/steps/step-01-look.md': '# Look\n\n- IF C: Read fully and follow: ./step-02-write.md\n',
  'workflows/count/steps/step-02-write.md': '# Write the numbers\n',
};
const upload = (rig: ServerRig, body = zipOf(SOURCE), name = 'birds.zip') =>
  rig.client.imports.upload({ query: { name }, body });
const staged = async ({ root }: ServerRig): Promise<string[]> =>
  (await readdir(join(root, 'store/packages'))).filter((name) => name.startsWith('.'));

describe('imports', () => {
  it('[H22] are converted without being installed, and shown with their graph', async () => {
    const rig = await createServerRig();
    const { importId, report, inspected } = await upload(rig);
    expect(report).toMatchObject({
      source: { name: 'birds', eras: [{ era: 'bmad-v6' }] },
      workflows: [{ id: 'count', nodes: 2 }],
      totals: { edges: { exact: 1, inferred: 0, dropped: 0 } },
    });
    expect(inspected).toMatchObject({ report: { ok: true }, contents: { name: 'birds' } });
    const graph = await rig.client.imports.graph({ importId, query: { workflow: 'count' } });
    expect(graph.nodes).toHaveLength(2);
    expect((await rig.client.packages.list()).packages).toEqual([]);
    expect(await staged(rig)).toHaveLength(1);
  });

  it('[H22] are rehearsed and installed, once', async () => {
    const rig = await createServerRig();
    const { importId } = await upload(rig);
    expect(await rig.client.imports.rehearse({ importId })).toMatchObject({
      ok: true,
      workflows: [{ ref: 'count', nodes: { covered: 2, total: 2 }, edges: { covered: 1, total: 1 } }],
    });
    const { package: installed } = await rig.client.imports.install({ importId });
    expect((await rig.client.packages.list()).packages).toEqual([installed]);
    expect(await staged(rig)).toEqual([]);
    await expect(rig.client.imports.install({ importId })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('[K41] are tried as a reader, with the steps that prove nothing', async () => {
    const rig = await createServerRig();
    const { importId } = await upload(rig);
    const lazy = await rig.client.imports.rehearse({ importId, query: { as: 'lazy' } });
    expect(lazy).toMatchObject({
      workflows: [],
      trials: [{ as: 'lazy', workflow: 'count' }],
    });
    const literal = await rig.client.imports.rehearse({ importId, query: { as: 'literal' } });
    expect(literal).toMatchObject({
      ok: true,
      trials: [{ nodes: { covered: 2, total: 2 }, isCompleted: true }],
    });
    const wrong = rig.client.imports.rehearse({ importId, query: { as: 'clever' as 'lazy' } });
    await expect(wrong).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('[U84] show the progress of their rehearsal, which ends when its request is aborted', async () => {
    const rig = await createServerRig();
    const steps = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [
        `workflows/w${index}/workflow.md`,
        `# Count ${index}\n\nLook.\n`,
      ]),
    );
    const { importId } = await upload(rig, zipOf({ ...SOURCE, ...steps }));
    expect(await rig.client.imports.progress({ importId })).toEqual({});
    const stopper = new AbortController();
    const rehearsal = rig.client.imports.rehearse({ importId }, { signal: stopper.signal });
    const progress = async () => (await rig.client.imports.progress({ importId })).steps;
    await expect.poll(async () => (await progress())?.total, { interval: 2 }).toBeGreaterThan(12);
    stopper.abort();
    const { ok, workflows } = await rehearsal;
    expect([ok, workflows.length < 13]).toEqual([false, true]);
    await expect.poll(progress).toBeUndefined();
  });

  it('[H22] are discarded on request, beyond eight, and when the server closes', async () => {
    const rig = await createServerRig();
    const { importId } = await upload(rig);
    await rig.client.imports.discard({ importId });
    expect(await staged(rig)).toEqual([]);
    for (let count = 0; count < 9; count++) await upload(rig);
    expect(await staged(rig)).toHaveLength(8);
    await rig.parts.close();
    expect(await staged(rig)).toEqual([]);
  });

  it('[H22] are read from a folder or zip of this machine, too', async () => {
    const rig = await createServerRig();
    await writeTree(join(rig.root, 'source'), SOURCE);
    const { report } = await rig.client.imports.openPath({ body: { path: join(rig.root, 'source') } });
    expect(report.source.name).toBe('source');
  });

  it.each([
    ['is no zip', Buffer.from('hello')],
    ['has nothing to import', zipOf({ 'README.md': '# Hello\n' })],
    ['has only unsafe names', zipOf({}, [{ name: '../SKILL.md', data: '# x\n' }])],
  ])('[H22] one that %s is one sentence and leaves nothing behind', async (_, body) => {
    const rig = await createServerRig();
    await expect(upload(rig, body, 'x.zip')).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringMatching(/^[^\n]+\.$/) as string,
    });
    expect(await staged(rig)).toEqual([]);
  });
});
