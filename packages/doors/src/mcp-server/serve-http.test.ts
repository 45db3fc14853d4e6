import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createClient } from '../testing/host-client.ts';
import { importModule } from '../testing/imported-module.ts';
import { headersOf, type LocalServer, startLocalServer } from '../testing/local-server.ts';
import { createMcpRig, type McpRig } from '../testing/mcp-rig.ts';
import { callTool, playHost } from '../testing/scripted-host.ts';

async function serve(rig: McpRig): Promise<LocalServer> {
  const server = await startLocalServer(rig.env);
  onTestFinished(async () => {
    const { child } = server;
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  return server;
}

async function connect(
  rig: McpRig,
  server: LocalServer,
  options: Parameters<typeof createClient>[1] = {},
): Promise<Client> {
  const client = createClient(rig.project, options);
  const url = new URL(`${server.origin}/api/v1/mcp?project=${encodeURIComponent(rig.project)}`);
  await client.connect(
    new StreamableHTTPClientTransport(url, { requestInit: { headers: headersOf(server) } }),
  );
  onTestFinished(() => client.close());
  return client;
}

const runOf = (brief: string): string => /- run: (\S+)/.exec(brief)?.[1] ?? '';

/** By hand: `fetch` allows neither another Host nor none. */
async function post(
  server: LocalServer,
  headers: Record<string, string>,
  path = '/api/v1/mcp',
): Promise<number> {
  const { hostname, port } = new URL(server.origin);
  const sent = request({
    hostname,
    port,
    path,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
  });
  sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }));
  const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
  response.resume();
  return response.statusCode ?? 0;
}

describe('hosts over HTTP', () => {
  it.each([false, true])(
    '[O2] [O4] a literal host finishes create-story and an imported workflow, proved; a lazy one leaves no first step (without handshake: %s)',
    async (isModern) => {
      const rig = await createMcpRig();
      await importModule(rig);
      const server = await serve(rig);
      const client = await connect(rig, server, { isModern, form: () => 'C' });
      for (const name of ['create-story-micro', 'yard']) {
        const { text } = await callTool(client, 'start_workflow', { package: name });
        const last = await playHost('literal', text, { project: rig.project, client });
        expect(last.text).toContain('The workflow is complete.');
        expect(await rig.evidence(runOf(text))).toMatchObject({ isProved: true, missing: [] });
        const other = await callTool(client, 'start_workflow', { package: name });
        const run = runOf(other.text);
        const first = /- currentNodeId: (\S+)/.exec(other.text)?.[1];
        await playHost('lazy', other.text, { project: rig.project, client });
        const state = await callTool(client, 'workflow_state', { run });
        expect(JSON.parse(state.text)).toMatchObject({ currentNodeId: first, stepsCompleted: [] });
        await callTool(client, 'pause_workflow', { run });
      }
      const works = await fetch(`${server.origin}/api/v1/works?limit=5`, { headers: headersOf(server) });
      expect(await works.text()).toContain('scripted-host');
    },
  );

  it('[O5] the server is killed, and its run goes on over standard input and output', async () => {
    const rig = await createMcpRig();
    const server = await serve(rig);
    const overHttp = await connect(rig, server);
    await callTool(overHttp, 'start_workflow', { package: 'create-story-micro' });
    const run = (await rig.runIds()).at(-1) ?? '';
    const { client } = await rig.connect();
    expect((await callTool(client, 'resume_workflow', { run })).text).toContain('is working on this run');
    server.child.kill('SIGKILL');
    await once(server.child, 'exit');
    expect((await callTool(client, 'resume_workflow', { run })).text).toContain('NODE_BRIEF');
  });

  it('[O32] the policy of an organisation says which agents may use it, and over which way, from the next call on', async () => {
    const rig = await createMcpRig();
    const file = join(rig.root, 'policy.json');
    const allow = (doors: object) => writeFile(file, JSON.stringify({ schemaVersion: 1, doors }));
    rig.env.CREWAGENT_POLICY = file;
    await allow({ agents: ['scripted-*'], over: ['mcp-stdio'] });
    const { client } = await rig.connect();
    const overHttp = await connect(rig, await serve(rig), { isModern: true });
    const start = { package: 'create-story-micro' };
    expect(await callTool(overHttp, 'start_workflow', start)).toMatchObject({
      isError: true,
      text: expect.stringContaining('rule "doors.over"') as unknown,
    });
    expect((await callTool(client, 'start_workflow', start)).isError).toBe(false);
    await allow({ agents: ['claude-code'] });
    for (const one of [client, overHttp])
      expect(await callTool(one, 'current_brief')).toMatchObject({
        isError: true,
        text: expect.stringContaining('the agent "scripted-host" (rule "doors.agents")') as unknown,
      });
    expect((await client.listResources()).resources).toEqual([]);
    const [run = ''] = await rig.runIds();
    await expect(client.readResource({ uri: `crewagent://runs/${run}/state` })).rejects.toThrow(
      'doors.agents',
    );
    await allow({});
    expect((await callTool(client, 'current_brief')).isError).toBe(false);
  });

  it('[O9] requests without the token, from another origin or host, and with a wrong session are refused', async () => {
    const rig = await createMcpRig();
    const server = await serve(rig);
    const own = headersOf(server);
    expect(await post(server, { origin: server.origin })).toBe(401);
    expect(await post(server, { ...own, authorization: 'Bearer wrong' })).toBe(401);
    expect(await post(server, { authorization: own.authorization })).toBe(403);
    expect(await post(server, { ...own, origin: 'http://evil.example' })).toBe(403);
    const { port } = new URL(server.origin);
    const rebound = { ...own, host: `evil.example:${port}`, origin: `http://evil.example:${port}` };
    expect(await post(server, rebound)).toBe(421);
    expect(await post(server, { ...own, 'mcp-session-id': 'guessed' })).toBe(404);
    expect(await post(server, own)).toBe(400);
    expect(await post(server, own, '/api/v1/mcp?project=relative')).toBe(400);
    const client = await connect(rig, server);
    const elsewhere = join(rig.root, 'elsewhere');
    await mkdir(elsewhere);
    const id = (client.transport as StreamableHTTPClientTransport).sessionId ?? '';
    expect(id).not.toBe('');
    const stolen = `/api/v1/mcp?project=${encodeURIComponent(elsewhere)}`;
    expect(await post(server, { ...own, 'mcp-session-id': id }, stolen)).toBe(404);
  });
});
