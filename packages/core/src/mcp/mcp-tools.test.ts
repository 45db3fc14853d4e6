import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventOf, RunEvent } from '@crewagent/protocol/events';
import { mcpServerSchema } from '@crewagent/protocol/mcp';
import { describe, expect, it } from 'vitest';
import { createStoreLayout } from '../store/disk/layout.ts';
import { textReply, toolCallReply } from '../testing/models/provider-replies.ts';
import { first, samplePackage } from '../testing/packages/sample-package.ts';
import { createMcpRig, type McpRig, testServer } from '../testing/rigs/mcp-rig.ts';
import { writeTree } from '../testing/temp-folder.ts';
import { processesIn } from '../testing/views.ts';
import { putServer } from './manage-servers.ts';
import { addressOf, readProjectServers } from './resolve-servers.ts';

const endedIn = (events: readonly RunEvent[]): EventOf<'tool.ended'>[] =>
  events.filter((event) => event.type === 'tool.ended');

const call = (name: string, args: Readonly<Record<string, unknown>> = {}) =>
  toolCallReply([{ name, arguments: args }]);

const answersOf = (events: readonly RunEvent[]): unknown[] =>
  endedIn(events).map(({ content }) => JSON.parse(content) as unknown);

const always = { test: { ...testServer(), trusted: true } };

describe('tools of MCP servers', () => {
  it('[Y1] are offered in a chat and called with consent to server, tool and arguments', async () => {
    const rig = await createMcpRig([call('mcp_test_echo', { text: 'hi' }), textReply('Done.')]);
    const { session, events } = await rig.chat('autopilot');
    expect(await session.input('go')).toMatchObject({ phase: 'WaitingUser', reason: { code: 'approval' } });
    expect(rig.offered(0)).toContain('mcp_test_echo');
    const [request] = events.filter((event) => event.type === 'approval.requested');
    expect(request).toMatchObject({
      tool: 'mcp.test.echo',
      action: {
        title: 'mcp.test.echo wants to run on test',
        target: expect.stringMatching(/^test@[0-9a-f]{16}$/) as string,
        effect: 'external',
        preview: { kind: 'json', text: '{"text":"hi"}' },
      },
    });
    await session.approve({ decision: 'once' });
    expect(endedIn(events)).toMatchObject([
      {
        name: 'mcp.test.echo',
        outcome: 'ok',
        content: '{"ok":true,"text":"hi"}',
        effect: { kind: 'external' },
      },
    ]);
    expect(processesIn(rig.project)).not.toEqual([]);
    await session.close();
    await expect.poll(() => processesIn(rig.project)).toEqual([]);
  });

  it('[Y1] of a trusted server follow the preset, and read-only tools run without consent', async () => {
    const rig = await createMcpRig(
      [call('mcp_test_look'), call('mcp_test_echo', { text: 'x' }), textReply('.')],
      always,
    );
    const { session, events } = await rig.chat('ask');
    await session.input('go');
    expect(answersOf(events)).toEqual([{ ok: true, text: 'seen' }]);
    expect(events.filter(({ type }) => type === 'approval.requested')).toMatchObject([
      { tool: 'mcp.test.echo' },
    ]);
    const strict = await createMcpRig([textReply('.')], { test: testServer() });
    const other = await strict.chat('read-only');
    await other.session.input('go');
    expect(strict.offered(0).filter((name) => name.startsWith('mcp'))).toEqual([]);
  });

  it('[Y1] are hidden by each switch, and calling one is TOOL_NOT_AVAILABLE', async () => {
    const cases: [object, object?][] = [
      [{ test: { ...testServer(), enabled: false } }],
      [{ test: { ...testServer(), disabledTools: ['echo'] } }],
      [{ test: testServer() }, { tools: { mcp: { enabled: false } } }],
    ];
    for (const [servers, change = {}] of cases) {
      const rig = await createMcpRig([call('mcp_test_echo', { text: 'x' }), textReply('.')], {
        ...(servers as Record<string, object>),
      });
      await rig.runtime.store.settings.update(change);
      const { session, events } = await rig.chat();
      await session.input('go');
      expect(rig.offered(0)).not.toContain('mcp_test_echo');
      expect(answersOf(events)).toMatchObject([{ error: { code: 'TOOL_NOT_AVAILABLE' } }]);
    }
  });

  it('[Y1] a server that is disabled while a Work is open is stopped before the next request', async () => {
    const rig = await createMcpRig(
      [textReply('.'), call('mcp_test_echo', { text: 'x' }), textReply('.')],
      always,
    );
    const { session, events } = await rig.chat();
    await session.input('one');
    expect(processesIn(rig.project).length).toBeGreaterThan(0);
    await rig.runtime.store.settings.update({ mcp: { servers: { test: { enabled: false } } } });
    await session.input('two');
    expect(rig.offered(1)).not.toContain('mcp_test_echo');
    expect(answersOf(events)).toMatchObject([{ error: { code: 'TOOL_NOT_AVAILABLE' } }]);
    await expect.poll(() => processesIn(rig.project)).toEqual([]);
  });

  it('[Y4] a server gets a minimal environment, its own secrets, and the project as its folder', async () => {
    const server = { ...testServer(), env: ['TOKEN'], inheritEnv: ['CREWAGENT_TEST_SHARED'], trusted: true };
    const rig = await createMcpRig([call('mcp_test_environment'), textReply('.')], { test: server });
    process.env.CREWAGENT_TEST_SHARED = 'yes';
    process.env.CREWAGENT_TEST_PRIVATE = 'no';
    const { mcp } = await rig.runtime.settings();
    const definition = mcp.servers.test;
    if (!definition) throw new Error('no server');
    await rig.runtime.store.secrets.writeServer('test', {
      address: addressOf(definition),
      values: { TOKEN: 'token-of-the-person' },
    });
    const { session, events } = await rig.chat('autopilot');
    await session.input('go');
    const [answer] = answersOf(events) as [{ text: string; structured: { cwd: string; names: string[] } }];
    expect(answer.structured.cwd).toBe(rig.project);
    const { names } = answer.structured;
    expect(names).toEqual(expect.arrayContaining(['CREWAGENT_TEST_SHARED', 'PATH', 'TOKEN']) as string[]);
    expect(names.filter((name) => /KEY|PRIVATE|VITEST/.test(name))).toEqual([]);
    // The value is never returned.
    expect(JSON.stringify(events)).not.toContain('token-of-the-person');
    expect(answer.text).toContain('[hidden]');
    expect(await readFile(rig.runtime.store.settings.label, 'utf8')).not.toContain('token-of-the-person');
  });

  it('[Y5] failures, links, images and long texts are results of bounded size with files in @state', async () => {
    const names = ['fail', 'image', 'big'];
    const rig = await createMcpRig(
      [
        ...names.map((name) => call(`mcp_test_${name}`, name === 'big' ? { bytes: 2_000_000 } : {})),
        textReply('.'),
      ],
      always,
    );
    const { session, events } = await rig.chat('autopilot');
    await session.input('go');
    const [failed, image, big] = answersOf(events) as Record<string, unknown>[];
    expect(failed).toEqual({ ok: false, error: { code: 'MCP_TOOL_FAILED', message: 'no such ticket' } });
    expect(image).toMatchObject({
      text: 'eight',
      links: [{ uri: 'ticket://7', name: 'Ticket 7' }],
      files: [
        { mimeType: 'image/png', bytes: 7, path: expect.stringMatching(/^@state\/mcp\/.*\.png$/) as string },
      ],
    });
    expect(JSON.stringify(big).length).toBeLessThan(20_000);
    const { store } = rig.runtime;
    const { projectId, workId } = session.record;
    const { state } = createStoreLayout(store.root).work({ projectId, workId, isRun: false });
    const path = String(big?.textPath).replace('@state/', '');
    expect((await readFile(join(state, path), 'utf8')).length).toBeGreaterThanOrEqual(2_000_000);
  });

  it('[Y6] arguments that do not match the schema reach neither a person nor the server', async () => {
    const rig = await createMcpRig([call('mcp_test_echo', { other: 1 }), textReply('.')]);
    const log = join(rig.root, 'calls');
    await putServer(rig.runtime.store, 'test', mcpServerSchema.parse(testServer()), { CALL_LOG: log });
    const { session, events } = await rig.chat('ask');
    await session.input('go');
    expect(answersOf(events)).toMatchObject([{ error: { code: 'TOOL_ARGS_INVALID' } }]);
    expect(events.map(({ type }) => type)).not.toContain('approval.requested');
    expect(existsSync(log)).toBe(false);
  });

  it('rehearsal starts no server', async () => {
    const rig: McpRig = await createMcpRig([]);
    const session = await rig.runtime.createWork({
      projectPath: rig.project,
      kind: 'chat',
      model: { model: 'rehearsal' },
    });
    await session.input('hello');
    expect(processesIn(rig.project)).toEqual([]);
    await session.close();
  });

  it('a replay lists the tools as recorded and answers from the recording', async () => {
    const rig = await createMcpRig([call('mcp_test_echo', { text: 'hi' }), textReply('Done.')], always);
    const recordTo = join(rig.root, 'tape.jsonl');
    const converse = async (options: object) => {
      const session = await rig.runtime.createWork({
        projectPath: rig.project,
        kind: 'chat',
        approval: 'autopilot',
        ...options,
      });
      const events: RunEvent[] = [];
      session.subscribe((event) => events.push(event));
      const stop = await session.input('go');
      const processes = processesIn(rig.project);
      await session.close();
      return { stop, processes, answers: answersOf(events) };
    };
    const recorded = await converse({ model: rig.model, recordTo });
    const replayed = await converse({ model: { replay: recordTo } });
    expect(replayed).toEqual({ ...recorded, processes: [] });
    expect(recorded.answers).toEqual([{ ok: true, text: 'hi' }]);
    expect(recorded.processes).not.toEqual([]);
  });

  it('[Y1] an agent gets the servers it names that the person enabled, in a conversation and in a run', async () => {
    const pkg = withServers({ enabled: true, allowedServers: ['test', 'missing'] });
    const rig = await createMcpRig(() => textReply('.'), { test: testServer(), other: testServer() });
    const folder = join(rig.root, 'package');
    await writeTree(folder, pkg);
    const run = await rig.create({ package: folder, model: rig.model });
    await run.engine.start();
    const session = await rig.runtime.createWork({
      projectPath: rig.project,
      kind: 'agent',
      package: folder,
      model: rig.model,
    });
    await session.input('Hello there, who are you?');
    await session.close();
    for (const index of [0, 1]) {
      expect(rig.offered(index)).toContain('mcp_test_echo');
      expect(rig.offered(index).filter((name) => name.startsWith('mcp_other'))).toEqual([]);
    }
    const silent = join(rig.root, 'silent');
    await writeTree(silent, samplePackage());
    await (await rig.create({ package: silent, model: rig.model })).engine.start();
    expect(rig.offered(2)).not.toEqual([]);
    expect(rig.offered(2).filter((name) => name.startsWith('mcp'))).toEqual([]);
  });

  it("[Y9] a server of the project's file is used after one approval, until its definition changes", async () => {
    const rig = await createMcpRig(() => textReply('.'), {});
    const { store } = rig.runtime;
    const write = (args: readonly string[]): Promise<void> =>
      writeFile(
        join(rig.project, '.mcp.json'),
        JSON.stringify({ mcpServers: { local: { ...testServer(...args), env: { MODE: 'a' } } } }),
      );
    const converse = async (): Promise<string[]> => {
      const { session } = await rig.chat();
      await session.input('go');
      await session.close();
      return rig.offered(rig.provider.requests.length - 1).filter((name) => name.startsWith('mcp_local_'));
    };
    await write([]);
    expect(await converse()).toEqual([]);
    const [project] = await store.projects.list();
    if (!project) throw new Error('no project');
    const [server] = (await readProjectServers(project)).servers;
    if (!server) throw new Error('no server');
    const servers = [{ server: server.id, hash: server.hash }];
    await store.projects.update(project.projectId, (latest) => ({ ...latest, servers }));
    expect(await converse()).toContain('mcp_local_echo');
    await write(['stay']);
    expect(await converse()).toEqual([]);
  });
});

function withServers(mcp: object): ReturnType<typeof samplePackage> {
  return samplePackage(({ agents }) => {
    Object.assign(first(agents.agents), {
      menu: [{ trigger: 'go', description: 'Start', workflow: 'workflow.md' }],
      tools: { mcp },
    });
  });
}
