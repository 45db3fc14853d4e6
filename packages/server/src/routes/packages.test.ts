import { readdir, readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { packFolder } from '@crewagent/core';
import { describe, expect, it } from 'vitest';
import { writeTree } from '../../../core/src/testing/file-tree.ts';
import { type Bend, samplePackage } from '../../../core/src/testing/sample-package.ts';
import { createServerRig, HELLO_BRANCH, prepare, startTestServer } from '../testing/server-rig.ts';

const CONTEXT = { runtimeVersion: '0.1.0', knownServers: new Set<string>() };

describe('packages', () => {
  it('[H24] are installed by path, shown, drawn and removed', async () => {
    const { client } = await createServerRig();
    const imported = await client.packages.importPath({ body: { path: HELLO_BRANCH } });
    const { hash } = imported.package;
    expect(imported).toMatchObject({ alreadyInstalled: false, warnings: [] });
    expect((await client.packages.list()).packages).toEqual([imported.package]);

    const shown = await client.packages.show({ hash });
    expect(shown).toMatchObject({ package: imported.package, author: 'CrewAgent', requiresNetwork: false });
    expect(shown.agents[0]).toMatchObject({ tools: { fs: true, servers: [] } });
    const graph = await client.packages.graph({ hash });
    expect(graph.nodes.map(({ id }) => id)).toContain(graph.entryNodeId);
    expect(graph.workflow).toEqual(shown.workflows[0]);
    const step = await client.packages.node({ hash, nodeId: graph.entryNodeId });
    expect(step.text).toBe(await readFile(join(HELLO_BRANCH, 'steps/step-01-intake.md'), 'utf8'));
    expect(await client.packages.validation({ hash })).toMatchObject({
      ok: true,
      path: 'hello-branch@1.0.0',
    });

    await client.packages.remove({ hash });
    expect((await client.packages.list()).packages).toEqual([]);
    await expect(client.packages.show({ hash })).rejects.toMatchObject({ code: 'PACKAGE_NOT_FOUND' });
  });

  it('[H24] that are not there, or nodes and workflows of theirs, are one sentence', async () => {
    const rig = await createServerRig();
    const { packageHash: hash } = await prepare(rig);
    const { packages } = rig.client;
    await expect(packages.node({ hash, nodeId: 'nowhere' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(packages.graph({ hash, query: { workflow: 'no' } })).rejects.toMatchObject({
      code: 'WORKFLOW_NOT_FOUND',
    });
    await expect(packages.remove({ hash: 'a'.repeat(64) })).rejects.toMatchObject({
      code: 'PACKAGE_NOT_FOUND',
    });
    await expect(packages.importPath({ body: { path: '/nowhere.bmad' } })).rejects.toMatchObject({
      code: 'PACKAGE_INVALID',
    });
  });

  it('[H24] are not removed while a run needs them, unless forced', async () => {
    const rig = await createServerRig();
    const ready = await prepare(rig);
    const { runId } = await rig.client.runs.create({
      body: { ...ready, model: 'rehearsal', isHeldBack: true },
    });
    const hash = ready.packageHash;
    await expect(rig.client.packages.remove({ hash })).rejects.toMatchObject({
      code: 'PACKAGE_IN_USE',
      details: { runs: [runId] },
    });
    await rig.client.packages.remove({ hash, query: { force: 'true' } });
  });

  it('[H24] can be validated without being installed', async () => {
    const { client, root } = await createServerRig();
    const bend: Bend = ({ graph }) => {
      graph.entryNodeId = 'nowhere';
    };
    await writeTree(join(root, 'bad'), samplePackage(bend));
    const report = await client.packages.validate({ body: { path: join(root, 'bad') } });
    expect(report).toMatchObject({ ok: false, path: join(root, 'bad') });
    expect(report.errors[0]).toMatchObject({ code: 'UNKNOWN_NODE' });
    expect((await client.packages.list()).packages).toEqual([]);
  });

  it('[H24] are uploaded', async () => {
    const { client, root } = await startTestServer();
    const archive = join(root, 'a.bmad');
    await packFolder(HELLO_BRANCH, archive, CONTEXT);
    const body = await readFile(archive);
    const imported = await client.packages.upload({ query: { name: 'a.bmad' }, body });
    expect(imported).toMatchObject({ alreadyInstalled: false, package: { name: 'hello-branch' } });
    expect(await client.packages.upload({ body })).toMatchObject({ alreadyInstalled: true });
    expect(await readdir(join(root, 'store/packages'))).toEqual([imported.package.hash]);
  });

  it('[H24] that are refused leave nothing behind and no place of ours in the words', async () => {
    const { client, root } = await startTestServer();
    const body = Buffer.from('this is no archive');
    const error: unknown = await client.packages
      .upload({ query: { name: '../../x.bmad' }, body })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'PACKAGE_INVALID', details: { path: '../../x.bmad' } });
    expect(JSON.stringify(error)).not.toContain(root);
    expect(await readdir(join(root, 'store/packages'))).toEqual([]);
  });

  it('[H24] whose upload breaks off leave nothing behind', async () => {
    const { port, token, root, client } = await startTestServer();
    await client.packages.importPath({ body: { path: HELLO_BRANCH } });
    const packages = join(root, 'store/packages');
    const socket = connect(port, '127.0.0.1');
    socket.write(
      `POST /api/v1/packages/upload HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: http://127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/octet-stream\r\nContent-Length: 100000\r\n\r\nPK`,
    );
    await expect.poll(async () => (await readdir(packages)).length).toBe(2);
    socket.destroy();
    await expect.poll(async () => (await readdir(packages)).length).toBe(1);
  });
});
