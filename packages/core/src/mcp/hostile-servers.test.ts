import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventOf, RunEvent } from '@crewagent/protocol/events';
import { mcpServerSchema } from '@crewagent/protocol/mcp';
import { describe, expect, it } from 'vitest';
import { driverPath } from '../testing/driver-path.ts';
import { textReply, toolCallReply } from '../testing/models/provider-replies.ts';
import { createMcpRig, type McpRig, testServer } from '../testing/rigs/mcp-rig.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { processesIn } from '../testing/views.ts';
import { McpConnection } from './connection.ts';
import { putServer } from './manage-servers.ts';
import { toToolName } from './tool-names.ts';

const NEVER = new AbortController().signal;

async function connect(
  flags: readonly string[],
  options: {
    readonly startTimeoutMs?: number | undefined;
    readonly backoffMs?: number;
    readonly env?: Readonly<Record<string, string>>;
  } = {},
): Promise<{ readonly connection: McpConnection; readonly cwd: string }> {
  const cwd = await tempFolder();
  const { env = {}, startTimeoutMs, backoffMs } = options;
  const target = { ...testServer(...flags), env, inheritEnv: [], cwd };
  const connection = new McpConnection({
    target,
    project: cwd,
    secrets: Object.values(env),
    ...(startTimeoutMs !== undefined && { startTimeoutMs }),
    ...(backoffMs !== undefined && { backoffMs }),
  });
  return { connection, cwd };
}

async function answersOf(flags: readonly string[], tool: string, args: object = {}) {
  const rig = await createMcpRig([toolCallReply([{ name: tool, arguments: { ...args } }]), textReply('.')], {
    test: { ...testServer(...flags), trusted: true },
  });
  const { session, events } = await rig.chat('autopilot');
  const stop = await session.input('go');
  await session.close();
  const answers = events
    .filter((event): event is EventOf<'tool.ended'> => event.type === 'tool.ended')
    .map(({ content }) => JSON.parse(content) as unknown);
  return { rig, events, stop, answers };
}

describe('a hostile MCP server', () => {
  it.each([
    ['ends at once', ['die-at-start'], /code 1/, undefined],
    ['never answers', ['hang-at-start', 'stay'], /did not answer within 1 s/, 1_000],
    ['floods stdout', ['flood-stdout', 'hang-at-start', 'ignore-sigterm'], /message of more than/, undefined],
    ['floods with messages', ['flood-lines', 'hang-at-start'], /unrequested messages/, undefined],
  ])('[Y10] that %s at its start has no tools, and the run continues', async (_, flags, reason, limit) => {
    const { connection, cwd } = await connect(flags, { startTimeoutMs: limit });
    await expect(connection.ready(NEVER)).rejects.toThrow(reason);
    expect(connection.status.state).toBe('failed');
    await connection.close();
    await expect.poll(() => processesIn(cwd)).toEqual([]);
  });

  it('[Y10] that cannot be started is reported once as a warning, and has no tools', async () => {
    const rig = await createMcpRig(() => textReply('.'), { gone: { command: 'no-such-program-here' } });
    const { session, events } = await rig.chat();
    expect(await session.input('one')).toMatchObject({ phase: 'WaitingUser', reason: { code: 'reply' } });
    await session.input('two');
    const warnings = events.filter((event) => event.type === 'warning');
    expect(warnings).toMatchObject([
      {
        code: 'MCP_SERVER_FAILED',
        message:
          'The MCP server "gone" is not available: The command was not found. Check the name of the program, or give its full path.',
      },
    ]);
  });

  it.each([
    ['dies in a call', [], 'mcp_test_die', {}, { error: { code: 'MCP_SERVER_FAILED' } }],
    ['answers twice', ['double'], 'mcp_test_echo', { text: 'x' }, { ok: true, text: 'x' }],
    ['answers unknown ids', ['unknown-ids'], 'mcp_test_echo', { text: 'x' }, { ok: true, text: 'x' }],
    ['prints garbage', ['garbage'], 'mcp_test_echo', { text: 'x' }, { ok: true, text: 'x' }],
    ['floods stderr', ['flood-stderr'], 'mcp_test_echo', { text: 'x' }, { ok: true, text: 'x' }],
    ['returns 50 MB', [], 'mcp_test_big', { bytes: 50_000_000 }, { error: { code: 'MCP_SERVER_FAILED' } }],
  ] as const)('[Y10] that %s leaves one result, and no process', async (_, flags, tool, args, expected) => {
    const { rig, stop, answers } = await answersOf(flags, tool, args);
    expect(answers).toMatchObject([expected]);
    expect(stop).toMatchObject({ phase: 'WaitingUser', reason: { code: 'reply' } });
    expect(rig.bugs).toEqual([]);
    await expect.poll(() => processesIn(rig.project)).toEqual([]);
  });

  it('[Y10] that hangs in a call is stopped with the time limit of tools', async () => {
    const rig = await createMcpRig(
      [toolCallReply([{ name: 'mcp_test_hang', arguments: {} }]), textReply('.')],
      {
        test: { ...testServer('ignore-sigterm', 'stay'), trusted: true },
      },
    );
    await rig.runtime.store.settings.update({ tools: { toolTimeoutMs: 2_000 } });
    const { session, events } = await rig.chat('autopilot');
    const going = session.input('go');
    await expect.poll(() => existsSync(join(rig.project, 'hanging'))).toBe(true);
    const hanging = processesIn(rig.project);
    await going;
    expect(events.find(({ type }) => type === 'tool.ended')).toMatchObject({ code: 'TOOL_TIMEOUT' });
    // The next request has restarted the server.
    expect(processesIn(rig.project).filter((pid) => hanging.includes(pid))).toEqual([]);
  });

  it('[Y12] is killed with its children by Stop, and started again when it is needed', async () => {
    const rig = await createMcpRig(
      [
        toolCallReply([{ name: 'mcp_test_hang', arguments: {} }]),
        toolCallReply([{ name: 'mcp_test_echo', arguments: { text: 'again' } }]),
        textReply('.'),
      ],
      { test: { ...testServer('grandchild', 'escapes', 'ignore-sigterm', 'stay'), trusted: true } },
    );
    const { session, events } = await rig.chat('autopilot');
    const going = session.input('go');
    await expect.poll(() => existsSync(join(rig.project, 'hanging'))).toBe(true);
    await expect.poll(() => processesIn(rig.project).length).toBeGreaterThanOrEqual(3);
    await session.stop();
    await going;
    await expect.poll(() => processesIn(rig.project)).toEqual([]);
    await session.input('again');
    expect(events.filter(({ type }) => type === 'tool.ended')).toMatchObject([
      { code: 'ENGINE_ABORTED' },
      { outcome: 'ok' },
    ]);
  });

  it('[Y12] that exits leaves no child behind, in whatever process group', async () => {
    const { connection, cwd } = await connect(['grandchild', 'escapes']);
    await connection.ready(NEVER);
    expect(processesIn(cwd).length).toBeGreaterThanOrEqual(3);
    await expect(connection.call('die', {}, NEVER)).rejects.toThrow('code 3');
    await expect.poll(() => processesIn(cwd)).toEqual([]);
    await connection.close();
  });

  it.each([
    ['not during its pause', 3_600_000, 1],
    ['after its pause', 0, 3],
  ])('[Y10] that cannot be started is started again %s', async (_, backoffMs, starts) => {
    const log = join(await tempFolder(), 'starts');
    const { connection } = await connect(['die-at-start'], { backoffMs, env: { START_LOG: log } });
    for (let attempt = 0; attempt < 3; attempt++)
      await expect(connection.ready(NEVER)).rejects.toThrow('code 1');
    expect(readFileSync(log, 'utf8')).toBe('start\n'.repeat(starts));
    await connection.close();
  });

  it('[Y6] that changes a tool needs new consent', async () => {
    const echo = (text: string) => toolCallReply([{ name: 'mcp_test_echo', arguments: { text } }]);
    const rig: McpRig = await createMcpRig([echo('1'), echo('2'), textReply('.')], {
      test: testServer('changes'),
    });
    const { session, events } = await rig.chat('autopilot');
    await session.input('go');
    await session.approve({ decision: 'run' });
    const requests = events.filter(
      (event): event is EventOf<'approval.requested'> => event.type === 'approval.requested',
    );
    expect(requests).toHaveLength(2);
    expect(requests[0]?.action?.target).not.toBe(requests[1]?.action?.target);
    expect(JSON.stringify(rig.provider.requests[1]?.body.tools)).toContain('Now it deletes everything.');
  });

  it('[Y6] that changes a tool while a call of it waits for approval does not get the call', async () => {
    const one = (name: string) => toolCallReply([{ name, arguments: { text: '1' } }]);
    const rig: McpRig = await createMcpRig([
      one('mcp_test_echo'),
      one('mcp_test_fail'),
      textReply('.'),
      textReply('.'),
    ]);
    const log = join(rig.root, 'calls');
    const server = mcpServerSchema.parse(testServer('changes'));
    await putServer(rig.runtime.store, 'test', server, { CALL_LOG: log });
    const { session, events } = await rig.chat('ask');
    await session.input('go');
    // Another conversation, with the same server, which changes its tools after any call.
    const other = await rig.chat('ask');
    await other.session.input('go');
    await other.session.approve({ decision: 'once' });
    expect(readFileSync(log, 'utf8')).toBe('fail\n');
    await session.approve({ decision: 'once' });
    expect(readFileSync(log, 'utf8')).toBe('fail\n');
    const types = events.map(({ type }) => type);
    expect(types.filter((type) => type === 'approval.requested')).toHaveLength(2);
    expect(types).not.toContain('tool.ended');
  });

  it('[Y6] cannot take the name of another tool, and its names are the same in every run', async () => {
    const { rig } = await answersOf(['odd-names'], 'mcp_test_look');
    const names = rig.offered(0);
    expect(new Set(names).size).toBe(names.length);
    expect(names.every((name) => /^[A-Za-z0-9_-]{1,64}$/.test(name))).toBe(true);
    expect(names.filter((name) => name === 'fs_read')).toHaveLength(1);
    expect(names).toContain(toToolName('test', 'fs.read').replaceAll('.', '_'));
    expect(toToolName('test', 'a.b')).not.toBe(toToolName('test', 'a_b'));
    expect(toToolName('s'.repeat(32), 'x'.repeat(200))).toHaveLength(64);
  });

  it('[Y4] shows its last lines on stderr, without secrets', async () => {
    const { connection } = await connect(['stderr', 'die-at-start'], { env: { TOKEN: 'very-secret' } });
    await expect(connection.ready(NEVER)).rejects.toThrow();
    expect(connection.status).toMatchObject({ state: 'failed', stderr: 'cannot open the database [hidden]' });
    await connection.close();
  });
});

describe('a runtime process that is killed during a call', () => {
  it('[Y12] ends its servers; after a resume the call has an unknown outcome and is not repeated', async () => {
    const flags = ['grandchild', 'escapes', 'ignore-sigterm', 'stay'];
    const server = { ...testServer(...flags), trusted: true, inheritEnv: ['CALL_LOG'] };
    const rig = await createMcpRig(
      [toolCallReply([{ name: 'mcp_test_hang', arguments: {} }]), textReply('.')],
      {
        test: server,
      },
    );
    const callLog = join(rig.root, 'calls');
    const driver = spawn(process.execPath, [driverPath('mcp-chat'), rig.root, rig.provider.url], {
      stdio: 'inherit',
      env: { ...process.env, CALL_LOG: callLog },
    });
    const calls = (): Promise<string> => readFile(callLog, 'utf8').catch(() => '');
    await expect.poll(calls).toBe('hang\n');
    expect(processesIn(rig.project).length).toBeGreaterThanOrEqual(3);
    driver.kill('SIGKILL');
    await once(driver, 'exit');
    await expect.poll(() => processesIn(rig.project)).toEqual([]);

    const session = await rig.runtime.openConversation('last');
    const events: RunEvent[] = [];
    session.subscribe((event) => events.push(event));
    await session.resume();
    await session.close();
    expect(events.filter(({ type }) => type === 'tool.ended')).toMatchObject([
      {
        name: 'mcp.test.hang',
        code: 'ENGINE_ABORTED',
        message: expect.stringContaining('look whether it took effect') as string,
        effect: { kind: 'external' },
      },
    ]);
    expect(await calls()).toBe('hang\n');
  });
});
