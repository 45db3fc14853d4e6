import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { textReply } from '../testing/models/provider-replies.ts';
import { hasSandbox } from '../testing/require-sandbox.ts';
import { createMcpRig, testServer } from '../testing/rigs/mcp-rig.ts';
import { tempFolder, writeTree } from '../testing/temp-folder.ts';
import { processesIn, processesWith } from '../testing/views.ts';
import { McpConnection } from './connection.ts';
import { approveServer } from './manage-servers.ts';
import { readProjectServers, resolveByName, resolveServers } from './resolve-servers.ts';

async function connect(sandbox: { network: boolean } | undefined, flags: readonly string[] = []) {
  const root = await tempFolder();
  await writeTree(root, {
    'home/.ssh/id_rsa': 'key',
    'store/secrets.json': 'secrets',
    'other/source.ts': 'other',
    'project/source.ts': 'source',
    'project/.env': 'TOKEN=1',
  });
  vi.stubEnv('HOME', join(root, 'home'));
  onTestFinished(() => void vi.unstubAllEnvs());
  const service = createServer((_, response) => response.end('a local service'));
  await new Promise<void>((resolve) => void service.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void service.close());
  const project = join(root, 'project');
  const { command, args } = testServer(...flags);
  const folders = [dirname(args[0] ?? '')];
  const connection = new McpConnection({
    target: {
      command,
      args,
      env: {},
      inheritEnv: [],
      cwd: project,
      ...(sandbox ? { sandbox: { ...sandbox, hosts: [], folders, git: false, project } } : {}),
    },
    project,
    secrets: [],
    startTimeoutMs: 10_000,
  });
  onTestFinished(() => connection.close());
  const { port } = service.address() as AddressInfo;
  const files = ['home/.ssh/id_rsa', 'store/secrets.json', 'other/source.ts', 'project/source.ts'];
  const reach = async (): Promise<unknown> => {
    await connection.ready(new AbortController().signal);
    const wanted = [...files.map((file) => join(root, file)), '/project/source.ts', '/project/.env'];
    const args = { files: wanted, url: `http://127.0.0.1:${port}` };
    const { structuredContent } = await connection.call('reach', args, new AbortController().signal);
    return JSON.parse(JSON.stringify(structuredContent).replaceAll(`${root}/`, ''));
  };
  return { connection, reach, project, files };
}

it.skipIf(!hasSandbox)(
  '[Y27] a hostile server in the sandbox reads the project and nothing else',
  async () => {
    const flag = `escapes-${randomUUID()}`;
    const { reach, connection } = await connect({ network: false }, ['escapes', flag]);
    expect(await reach()).toEqual({ readable: ['/project/source.ts'], fetched: '' });
    await connection.close();
    await expect.poll(() => processesWith(flag)).toEqual([]);
  },
);

it.skipIf(!hasSandbox)('[Y27] also with the network, no service on this machine is reached', async () => {
  const { reach } = await connect({ network: true });
  expect(await reach()).toEqual({ readable: ['/project/source.ts'], fetched: '' });
});

it('[Y27] a server without a sandbox reads whatever the person can read', async () => {
  const { reach, files } = await connect(undefined);
  expect(await reach()).toEqual({ readable: files, fetched: 'a local service' });
});

it('[Y27] a server that must run in the sandbox is not started where there is none', async () => {
  const { connection, project } = await connect({ network: false });
  // A project that contains the home folder has no sandbox.
  vi.stubEnv('HOME', project);
  await expect(connection.ready(new AbortController().signal)).rejects.toThrow('may only run in a sandbox');
  expect(processesIn(project)).toEqual([]);
});

it('where several people share machines every server that is a program runs in the sandbox, without their environment', async () => {
  const own = { ...testServer(), inheritEnv: ['CREWAGENT_SECRET_KEY'] };
  const rig = await createMcpRig([textReply('.')], { own, remote: { url: 'https://example.org/mcp' } });
  const { store } = rig.runtime;
  await writeTree(rig.project, {
    '.mcp.json': JSON.stringify({ mcpServers: { theirs: testServer() } }),
    'home/x': '',
  });
  const project = await store.projects.open(rig.project, { now: () => new Date() });
  const [theirs] = (await readProjectServers(project)).servers;
  await approveServer(store, project.projectId, { id: 'theirs', hash: theirs?.hash ?? '' });
  Object.assign(store, { requiresSandbox: true });
  const approved = await store.projects.read(project.projectId);
  const found = await resolveServers(store, approved, await store.settings.load());
  const confined = { inheritEnv: [], sandbox: { network: false, folders: [], project: project.path } };
  expect(found.map(({ id, target }) => [id, target])).toMatchObject([
    ['own', confined],
    ['remote', { url: 'https://example.org/mcp' }],
    ['theirs', confined],
  ]);
  for (const id of ['own', 'theirs'])
    expect((await resolveByName(store, id, approved)).target).toMatchObject(confined);

  // A project that contains the home folder has no sandbox.
  vi.stubEnv('HOME', join(project.path, 'home'));
  onTestFinished(() => void vi.unstubAllEnvs());
  const { session, events } = await rig.chat('autopilot');
  await session.input('go');
  expect(rig.offered(0).filter((name) => name.startsWith('mcp'))).toEqual([]);
  expect(JSON.stringify(events)).toContain('may only run in a sandbox');
  expect(processesIn(project.path)).toEqual([]);
});
