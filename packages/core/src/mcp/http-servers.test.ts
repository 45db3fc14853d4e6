import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { EventOf, RunEvent } from '@crewagent/protocol/events';
import { describe, expect, it } from 'vitest';
import { startMcpHttpServer } from '../testing/mcp-http-server.ts';
import { type ProviderReply, textReply, toolCallReply } from '../testing/models/provider-replies.ts';
import { createMcpRig, type McpRig, testServer } from '../testing/rigs/mcp-rig.ts';
import { testServer as connectOnce } from './manage-servers.ts';

const call = (name: string, args: Readonly<Record<string, unknown>> = {}): ProviderReply =>
  toolCallReply([{ name, arguments: args }]);

const endedIn = (events: readonly RunEvent[]): EventOf<'tool.ended'>[] =>
  events.filter((event) => event.type === 'tool.ended');

async function rigFor(url: string, script: readonly ProviderReply[], address = url): Promise<McpRig> {
  const rig = await createMcpRig(script, { web: { url, headers: ['Authorization'], trusted: true } });
  await rig.runtime.store.secrets.writeServer('web', {
    address,
    values: { Authorization: 'Bearer a token' },
  });
  return rig;
}

describe('an MCP server over HTTP', () => {
  it('[Y4] gets the headers that were stored for its URL', async () => {
    const server = await startMcpHttpServer();
    const rig = await rigFor(server.url, [call('mcp_web_ping'), textReply('.')]);
    const { session, events } = await rig.chat('autopilot');
    await session.input('go');
    expect(endedIn(events)).toMatchObject([{ name: 'mcp.web.ping', content: '{"ok":true,"text":"pong"}' }]);
    expect(server.methods).toContain('tools/call');
    expect(new Set(server.tokens)).toEqual(new Set(['Bearer a token']));
    expect(JSON.stringify(events)).not.toContain('a token');
  });

  it('[Y4] does not get headers that were stored for another URL, and no redirect is followed', async () => {
    const [other, redirecting] = [await startMcpHttpServer(), await startMcpHttpServer('redirects')];
    for (const [server, address] of [
      [other, 'https://elsewhere.example/mcp'],
      [redirecting, redirecting.url],
    ] as const) {
      const rig = await rigFor(server.url, [textReply('.')], address);
      const { session, events } = await rig.chat();
      await session.input('go');
      expect(rig.offered(0).filter((name) => name.startsWith('mcp'))).toEqual([]);
      expect(events.filter(({ type }) => type === 'warning')).toMatchObject([{ code: 'MCP_SERVER_FAILED' }]);
    }
    expect(other.tokens.filter((token) => token !== undefined)).toEqual([]);
    expect(redirecting.tokens.length).toBeLessThanOrEqual(2);
  });

  it('[Y4] that cannot be reached is reported as such', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    const rig = await rigFor(`http://127.0.0.1:${port}/mcp`, []);
    const { signal } = new AbortController();
    expect(await connectOnce(rig.runtime.store, 'web', { signal })).toMatchObject({
      ok: false,
      error: 'The server cannot be reached (ECONNREFUSED). Check its address, and whether it is running.',
    });
  });

  it('[Y4] that sends too much leaves one result', async () => {
    const server = await startMcpHttpServer('floods');
    const rig = await rigFor(server.url, [call('mcp_web_ping'), textReply('.')]);
    const { session, events } = await rig.chat('autopilot');
    await session.input('go');
    expect(endedIn(events)).toMatchObject([{ code: 'MCP_SERVER_FAILED' }]);
  });

  it('[Y4] that never answers is given up by Stop', async () => {
    const server = await startMcpHttpServer();
    const rig = await rigFor(server.url, [call('mcp_web_hang')]);
    const { session, events } = await rig.chat('autopilot');
    const going = session.input('go');
    await expect.poll(() => server.methods.includes('tools/call')).toBe(true);
    await session.stop();
    await going;
    expect(endedIn(events)).toMatchObject([{ code: 'ENGINE_ABORTED' }]);
  });
});

describe('many tools', () => {
  it('[Y5] above the budget are sent as names with one line each and mcp.describe, the same in every request', async () => {
    const script = [
      call('mcp_describe', { names: ['mcp_test_tool-7', 'mcp.test.echo', 'mcp_test_none'] }),
      call('mcp_test_tool-7', { wrong: true }),
      call('mcp_test_tool-7', { text: 'x' }),
      textReply('.'),
    ];
    const rig = await createMcpRig(script, { test: { ...testServer('many'), trusted: true } });
    const { session, events } = await rig.chat('autopilot');
    await session.input('go');
    const bodies = rig.provider.requests.map(({ body }) => JSON.stringify(body.tools));
    expect(new Set(bodies).size).toBe(1);
    const tools = rig.provider.requests[0]?.body.tools ?? [];
    expect(tools.find((tool) => tool.function.name === 'mcp_test_tool-7')?.function).toMatchObject({
      description: 'Tool 7.',
      parameters: { type: 'object' },
    });
    const [described, wrong, right] = endedIn(events).map(({ content }) => JSON.parse(content) as object);
    expect(described).toMatchObject({
      tools: [
        { description: expect.stringContaining('More.') as string, parameters: { required: ['text'] } },
        { parameters: { required: ['text'] } },
        { error: 'There is no such tool.' },
      ],
    });
    expect(wrong).toMatchObject({
      error: { code: 'TOOL_ARGS_INVALID', details: { expected: { required: ['text'] } } },
    });
    expect(right).toEqual({ ok: true, text: 'x' });
    const few = await createMcpRig([textReply('.')], { test: testServer() });
    await (await few.chat()).session.input('go');
    expect(few.offered(0)).not.toContain('mcp_describe');
  });
});
