import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { packFolder } from '@crewagent/core';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeTree } from '../../../core/src/testing/file-tree.ts';
import { startHttpServer } from '../../../core/src/testing/http-server.ts';
import { type Bend, samplePackage } from '../../../core/src/testing/packages/sample-package.ts';
import {
  createServerRig,
  HELLO_BRANCH,
  prepare,
  type ServerRig,
  startTestServer,
} from '../testing/server-rig.ts';

const CONTEXT = { runtimeVersion: '0.1.0', knownServers: new Set<string>() };

describe('packages', () => {
  it('[H22] are installed by path, shown, drawn as a graph and removed', async () => {
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
    const prompt = await client.packages.prompt({ hash, nodeId: 'step-03b-brownfield' });
    expect(prompt).toMatchObject({ nodeId: 'step-03b-brownfield', contextTokens: 128_000 });
    expect(prompt.parts.find(({ layer }) => layer === 'anchor')?.text).toContain(
      'currentNodeId: step-03b-brownfield',
    );
    expect((await client.works.list()).works).toEqual([]);
    expect(await client.packages.validation({ hash })).toMatchObject({
      ok: true,
      path: 'hello-branch@1.0.0',
    });

    await client.packages.remove({ hash });
    expect((await client.packages.list()).packages).toEqual([]);
    await expect(client.packages.show({ hash })).rejects.toMatchObject({ code: 'PACKAGE_NOT_FOUND' });
  });

  it('[H22] can be chosen from cards with titles and graphs, and with what earlier runs took', async () => {
    const { client } = await createServerRig();
    expect((await client.packages.gallery({ query: {} })).cards).toEqual([]);
    const { package: installed } = await client.packages.importPath({ body: { path: HELLO_BRANCH } });
    const { cards } = await client.packages.gallery({ query: { details: 'true' } });
    expect(cards).toHaveLength(1);
    expect(cards[0]).toMatchObject({ hash: installed.hash, name: 'hello-branch', workflows: 1 });
    expect(cards[0]?.title).toBe(cards[0]?.graph?.workflow.title);
    expect(cards[0]?.graph?.nodes.length).toBeGreaterThan(3);
    expect(cards[0]?.history).toBeUndefined();
    const [brief] = (await client.packages.gallery({ query: {} })).cards;
    expect(brief).toEqual({ ...cards[0], graph: undefined });
  });

  it('[H22] that do not exist, and their nodes and workflows, are reported in one sentence', async () => {
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

  it('[H22] are not removed while a run needs them, unless forced', async () => {
    const rig = await createServerRig();
    const ready = await prepare(rig);
    const { workId } = await rig.client.works.create({
      body: { ...ready, kind: 'run', model: 'rehearsal', isHeldBack: true },
    });
    const hash = ready.packageHash;
    await expect(rig.client.packages.remove({ hash })).rejects.toMatchObject({
      code: 'PACKAGE_IN_USE',
      details: { runs: [workId] },
    });
    await rig.client.packages.remove({ hash, query: { force: 'true' } });
  });

  it('[H22] can be validated without being installed', async () => {
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

  it('[H22] are uploaded', async () => {
    const { client, root } = await startTestServer();
    const archive = join(root, 'a.bmad');
    await packFolder(HELLO_BRANCH, archive, CONTEXT);
    const body = await readFile(archive);
    const imported = await client.packages.upload({ query: { name: 'a.bmad' }, body });
    expect(imported).toMatchObject({ alreadyInstalled: false, package: { name: 'hello-branch' } });
    expect(await client.packages.upload({ body })).toMatchObject({ alreadyInstalled: true });
    const { hash } = imported.package;
    expect((await readdir(join(root, 'store/packages'))).sort()).toEqual([
      hash,
      `${hash}.json`,
      `${hash}.origin.json`,
    ]);
  });

  it('[H22] that are rejected leave nothing behind, and the message has no path of ours', async () => {
    const { client, root } = await startTestServer();
    const body = Buffer.from('this is no archive');
    const error: unknown = await client.packages
      .upload({ query: { name: '../../x.bmad' }, body })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'PACKAGE_INVALID', details: { path: '../../x.bmad' } });
    expect(JSON.stringify(error)).not.toContain(root);
    expect(await readdir(join(root, 'store/packages'))).toEqual([]);
  });

  it('[H22] whose upload is aborted leave nothing behind', async () => {
    const { port, token, root, client } = await startTestServer();
    await client.packages.importPath({ body: { path: HELLO_BRANCH } });
    const packages = join(root, 'store/packages');
    const before = (await readdir(packages)).length;
    const socket = connect(port, '127.0.0.1');
    socket.write(
      `POST /api/v1/packages/upload HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: http://127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/octet-stream\r\nContent-Length: 100000\r\n\r\nPK`,
    );
    await expect.poll(async () => (await readdir(packages)).length).toBe(before + 1);
    socket.destroy();
    await expect.poll(async () => (await readdir(packages)).length).toBe(before);
  });
});

async function write(folder: string, files: Parameters<typeof writeTree>[1]): Promise<string> {
  await writeTree(folder, files);
  return folder;
}

/** All package files in the store, including staging folders. */
async function storedPackages({ root }: Pick<ServerRig, 'root'>): Promise<string[]> {
  return readdir(join(root, 'store/packages')).catch(() => []);
}

describe('inspecting a package', () => {
  it('[H22] shows it as if it were installed, from a folder, an archive and an upload', async () => {
    const rig = await createServerRig();
    const { client, root } = rig;
    const archive = join(root, 'a.bmad');
    const { sha256 } = await packFolder(HELLO_BRANCH, archive, CONTEXT);
    const fromFolder = await client.packages.inspect({ body: { path: HELLO_BRANCH } });
    const fromArchive = await client.packages.inspect({ body: { path: archive } });
    const body = await readFile(archive);
    const uploaded = await client.packages.inspectUpload({ query: { name: 'mine.bmad' }, body });
    expect(fromFolder.report).toEqual({ ok: true, path: HELLO_BRANCH, errors: [], warnings: [] });
    const file = { hash: sha256, signer: { status: 'unsigned' } };
    const inFile = (path: string) => ({
      ...fromFolder,
      archive: file,
      report: { ...fromFolder.report, path },
    });
    expect(fromArchive).toEqual(inFile(archive));
    expect(uploaded).toEqual(inFile('mine.bmad'));
    expect(await storedPackages(rig)).toEqual([]);
    expect((await client.packages.list()).packages).toEqual([]);

    const { hash } = (await client.packages.importPath({ body: { path: archive } })).package;
    const { package: installed, source, signer, ...contents } = await client.packages.show({ hash });
    // Not its path on this machine.
    expect({ source, signer }).toEqual({ source: 'a.bmad', signer: { status: 'unsigned' } });
    expect(fromFolder.contents).toMatchObject(contents);
    expect(fromFolder.contents).toMatchObject({ name: installed.name, version: installed.version });
  });

  it('[H22] installs an uploaded method, and reports what is wrong with its lines', async () => {
    const { client } = await createServerRig();
    const method = '---\nname: plan\ntitle: A plan\n---\n## Ask\nWaits.\n## Write\nProduces: plan.md\n';
    const { contents } = await client.packages.inspectUpload({
      query: { name: 'My plan.md' },
      body: Buffer.from(method),
    });
    expect(contents).toMatchObject({ name: 'plan', workflows: [{ title: 'A plan' }] });
    const query = { name: 'My plan.md' };
    await client.packages.upload({ query, body: Buffer.from(method) });
    expect((await client.packages.list()).packages).toMatchObject([{ name: 'plan' }]);
    const bad = await client.packages.inspectUpload({ query, body: Buffer.from(`${method}→ Nowhere\n`) });
    expect(bad.report.errors).toMatchObject([{ code: 'UNKNOWN_NODE', file: 'My plan.md', line: 9 }]);
  });

  it('[H22] shows one at an address, with its hash and what it changes, and installs exactly that', async () => {
    const { client, root } = await createServerRig();
    const archive = join(root, 'a.bmad');
    const bend: Bend = ({ bmad, agents }) => {
      bmad.version = '2.0.0';
      agents.agents.push({ ...structuredClone(agents.agents[0]), id: 'second' });
    };
    await client.packages.importPath({ body: { path: await write(join(root, 'one'), samplePackage()) } });
    const { sha256 } = await packFolder(
      await write(join(root, 'two'), samplePackage(bend)),
      archive,
      CONTEXT,
    );
    const bytes = await readFile(archive);
    const { url, close } = await startHttpServer((_, response) => void response.end(bytes));
    onTestFinished(close);
    const path = `${url}/a.bmad`;
    expect(await client.packages.inspect({ body: { path } })).toMatchObject({
      archive: { hash: sha256, signer: { status: 'unsigned' } },
      changes: { from: '1.0.0', to: '2.0.0', agents: { added: ['second'] } },
    });
    const other = client.packages.importPath({ body: { path, sha256: 'b'.repeat(64) } });
    await expect(other).rejects.toMatchObject({ code: 'HASH_MISMATCH' });
    const { package: installed } = await client.packages.importPath({ body: { path, sha256 } });
    expect(await client.packages.show({ hash: installed.hash })).toMatchObject({ source: path });
  });

  it('[H22] reports everything that is wrong with it, and no contents', async () => {
    const rig = await createServerRig();
    const { client, root } = rig;
    const bend: Bend = ({ graph }) => {
      graph.entryNodeId = 'nowhere';
    };
    await writeTree(join(root, 'bad'), samplePackage(bend));
    const { report, contents } = await client.packages.inspect({ body: { path: join(root, 'bad') } });
    expect(report).toMatchObject({ ok: false, errors: [{ code: 'UNKNOWN_NODE' }] });
    expect(contents).toBeUndefined();
    for (const path of ['/nowhere.bmad', root, '/dev/null'])
      expect(await client.packages.inspect({ body: { path } })).toMatchObject({ report: { ok: false } });
    expect(await storedPackages(rig)).toEqual([]);
  });

  it('[H22] works for any content, stores nothing and reveals no path of ours', async () => {
    const rig = await createServerRig();
    const archive = join(rig.root, 'a.bmad');
    await packFolder(HELLO_BRANCH, archive, CONTEXT);
    const good = await readFile(archive);
    const bent = fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { maxLength: 8 }).map((changes) => {
      const bytes = Buffer.from(good);
      for (const [at, value] of changes) bytes[at] = value;
      return new Uint8Array(bytes);
    });
    const cut = fc.nat(good.length).map((end) => new Uint8Array(good.subarray(0, end)));
    const hostile = fc.oneof(fc.uint8Array({ maxLength: 200 }), bent, cut);
    const name = fc.oneof(fc.string({ minLength: 1, maxLength: 40 }), fc.constant('../../../etc/passwd'));
    await fc.assert(
      fc.asyncProperty(hostile, name, async (body, called) => {
        const found = await rig.client.packages.inspectUpload({ query: { name: called }, body });
        expect(found.report.path).toBe(called);
        expect(found.contents !== undefined).toBe(found.report.ok);
        expect(JSON.stringify(found)).not.toContain(rig.root);
        expect(await storedPackages(rig)).toEqual([]);
      }),
      { numRuns: 60 },
    );
    expect(rig.bugs).toEqual([]);
  });

  it('[H22] leaves nothing behind if the upload is aborted', async () => {
    const server = await startTestServer();
    const { port, token } = server;
    const socket = connect(port, '127.0.0.1');
    socket.write(
      `POST /api/v1/packages/inspect-upload HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: http://127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/octet-stream\r\nContent-Length: 100000\r\n\r\nPK`,
    );
    await expect.poll(async () => (await storedPackages(server)).length).toBe(1);
    socket.destroy();
    await expect.poll(async () => (await storedPackages(server)).length).toBe(0);
  });
});

describe('users of a package', () => {
  it('[H22] are reported as counts and names of projects', async () => {
    const rig = await createServerRig();
    const { client, root } = rig;
    const { projectId, packageHash: hash } = await prepare(rig);
    expect(await client.packages.users({ hash })).toEqual({ runs: 0, conversations: 0, projects: [] });
    const body = { packageHash: hash, model: 'rehearsal' } as const;
    await client.works.create({ body: { ...body, kind: 'run', projectId, isHeldBack: true } });
    await mkdir(join(root, 'second'));
    const second = await client.projects.open({ body: { path: join(root, 'second') } });
    await client.works.create({ body: { ...body, projectId: second.projectId, kind: 'agent' } });
    const users = await client.packages.users({ hash });
    expect(users).toMatchObject({ runs: 1, conversations: 1 });
    expect(users.projects.sort()).toEqual(['project', 'second']);
    await client.projects.clear({ projectId });
    expect(await client.packages.users({ hash })).toMatchObject({ runs: 0, projects: ['second'] });
    await expect(client.packages.users({ hash: 'a'.repeat(64) })).rejects.toMatchObject({
      code: 'PACKAGE_NOT_FOUND',
    });
  });
});

describe('example packages', () => {
  async function rigWithExamples(): Promise<ServerRig & { readonly examplesRoot: string }> {
    const { root } = await createServerRig();
    const examplesRoot = join(root, 'examples');
    await mkdir(examplesRoot);
    await packFolder(HELLO_BRANCH, join(examplesRoot, 'hello-branch.bmad'), CONTEXT);
    return { ...(await createServerRig({ examplesRoot })), examplesRoot };
  }

  it('[H22] are listed, installed by name, and then recognised as installed', async () => {
    const { client } = await rigWithExamples();
    const { examples } = await client.packages.examples();
    expect(examples).toMatchObject([
      { example: 'hello-branch', title: 'Hello, branch', version: '1.0.0', isMethod: false },
    ]);
    expect(examples[0]?.installedHash).toBeUndefined();
    const imported = await client.packages.installExample({ example: 'hello-branch' });
    expect(imported).toMatchObject({ alreadyInstalled: false, package: { name: 'hello-branch' } });
    const { hash: installedHash } = imported.package;
    expect((await client.packages.examples()).examples).toMatchObject([{ installedHash }]);
    expect(await client.packages.installExample({ example: 'hello-branch' })).toMatchObject({
      alreadyInstalled: true,
    });
    // The same bytes, whatever their origin.
    expect(await client.packages.importPath({ body: { path: HELLO_BRANCH } })).toMatchObject({
      alreadyInstalled: true,
    });
  });

  it('[H22] are an empty list if the program has none', async () => {
    for (const examplesRoot of [undefined, '/nowhere/at/all', join(HELLO_BRANCH, 'bmad.json')]) {
      const { client } = await createServerRig(examplesRoot === undefined ? {} : { examplesRoot });
      expect(await client.packages.examples()).toEqual({ examples: [] });
      await expect(client.packages.installExample({ example: 'hello-branch' })).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    }
  });

  it('[H22] that are damaged, or not packages, are skipped, and names cannot escape the folder', async () => {
    const { client, call, examplesRoot, root } = await rigWithExamples();
    await writeFile(join(examplesRoot, 'broken.bmad'), 'PK');
    await writeFile(join(examplesRoot, 'notes.txt'), '');
    await writeFile(join(examplesRoot, 'Odd Name.bmad'), '');
    await mkdir(join(examplesRoot, 'folder.bmad'));
    await symlink('/nowhere', join(examplesRoot, 'link.bmad'));
    const { examples } = await client.packages.examples();
    expect(examples.map(({ example }) => example)).toEqual(['hello-branch']);
    const broken: unknown = await client.packages
      .installExample({ example: 'broken' })
      .catch((thrown: unknown) => thrown);
    expect(broken).toMatchObject({ code: 'PACKAGE_INVALID' });
    expect(JSON.stringify(broken)).not.toContain(examplesRoot);
    await writeFile(join(root, 'outside.bmad'), '');
    for (const name of ['..', '..%2Foutside', '%2e%2e%2foutside', 'a%5C..%5Cb', '.hidden', 'A', '%00']) {
      const response = await call(`/api/v1/examples/${name}/install`, { method: 'POST' });
      expect({ name, isRefused: response.status >= 400 && response.status < 500 }).toEqual({
        name,
        isRefused: true,
      });
    }
  });
});
