import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventOf, RunEvent } from '@crewagent/protocol/events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { toAddress } from '../store/work-address.ts';
import { driverPath } from '../testing/driver-path.ts';
import { textReply, toolCallReply } from '../testing/models/provider-replies.ts';
import { hasSandbox } from '../testing/require-sandbox.ts';
import { createShellRig } from '../testing/rigs/mcp-rig.ts';
import { processesWith, readInViews } from '../testing/views.ts';

const run = (command: string, more: object = {}) =>
  toolCallReply([{ name: 'shell_run', arguments: { command, ...more } }]);

const endedIn = (events: readonly RunEvent[]): EventOf<'tool.ended'>[] =>
  events.filter((event) => event.type === 'tool.ended');

interface Answer {
  readonly ok: boolean;
  readonly output?: string;
  readonly changed?: readonly object[];
  readonly notes?: readonly string[];
  readonly error?: { readonly code: string; readonly details?: { readonly output?: string } };
}

const answersOf = (events: readonly RunEvent[]): Answer[] =>
  endedIn(events).map(({ content }) => JSON.parse(content) as Answer);

const requestsIn = (events: readonly RunEvent[]): EventOf<'approval.requested'>[] =>
  events.filter((event) => event.type === 'approval.requested');

describe('shell.run', () => {
  it('[T73] is offered only where a person switched it on for the project, from the next request on', async () => {
    const off = await createShellRig([run('echo hi'), textReply('.')], { shell: {} });
    const { session, events } = await off.chat('autopilot');
    await session.input('go');
    expect(off.offered(0)).not.toContain('shell_run');
    expect(answersOf(events)).toMatchObject([{ error: { code: 'TOOL_NOT_AVAILABLE' } }]);

    const on = await createShellRig([textReply('.'), textReply('.')]);
    const chat = await on.chat('autopilot');
    await chat.session.input('one');
    expect(on.offered(0)).toContain('shell_run');
    await on.setShell({ enabled: false });
    await chat.session.input('two');
    expect(on.offered(1)).not.toContain('shell_run');

    const reading = await createShellRig([textReply('.')]);
    await (await reading.chat('read-only')).session.input('go');
    expect(reading.offered(0)).not.toContain('shell_run');
  });

  it('[T74] needs consent to the exact command under ask, and shows the line and where it runs', async () => {
    const rig = await createShellRig([run('echo', { args: ['a b', '$HOME'], cwd: 'sub' }), textReply('.')], {
      tree: { 'sub/x': '' },
    });
    const { session, events } = await rig.chat('ask');
    expect(await session.input('go')).toMatchObject({ phase: 'WaitingUser', reason: { code: 'approval' } });
    expect(requestsIn(events)).toMatchObject([
      {
        tool: 'shell.run',
        action: {
          title: expect.stringMatching(/^shell\.run wants to run a command (?:in|without)/) as string,
          target: `cd sub && echo 'a b' '$HOME'`,
          effect: 'external',
          preview: { kind: 'json' },
        },
      },
    ]);
    await session.approve({ decision: 'once' });
    expect(answersOf(events)).toEqual([{ ok: true, exitCode: 0, output: 'a b $HOME\n' }]);
    expect(endedIn(events)).toMatchObject([
      { outcome: 'ok', effect: { kind: 'external', command: expect.any(String) as string } },
    ]);
  });

  it('[T102] is asked about again if its folder has become another one since', async () => {
    const rig = await createShellRig([run('cat x', { cwd: 'sub' }), textReply('.')], {
      tree: { 'sub/x': 'shown', 'other/x': 'other' },
    });
    const { session, events } = await rig.chat('ask');
    await session.input('go');
    expect(requestsIn(events)).toMatchObject([{ action: { files: [{ path: '@project/sub' }] } }]);
    rmSync(join(rig.project, 'sub'), { recursive: true });
    symlinkSync('other', join(rig.project, 'sub'));
    await session.approve({ decision: 'run' });
    expect(requestsIn(events).at(-1)?.action).toMatchObject({
      changed: ['target', 'identity'],
      files: [{ path: '@project/other' }],
    });
    expect(answersOf(events)).toEqual([]);
    await session.approve({ decision: 'once' });
    expect(answersOf(events)).toMatchObject([{ output: 'other' }]);
  });

  it('[T74] arguments that lead out of the project, or are not valid, start nothing', async () => {
    const calls = [
      { cwd: '..' },
      { cwd: '@state' },
      { cwd: '/etc' },
      { cwd: 'missing' },
      { timeoutSeconds: 0 },
    ];
    const rig = await createShellRig([...calls.map((more) => run('touch made', more)), textReply('.')]);
    const { session, events } = await rig.chat('autopilot');
    for (
      let state = await session.input('go');
      state.phase === 'WaitingUser' && requestsIn(events).length > endedIn(events).length;
    )
      state = await session.approve({ decision: 'once' });
    expect(answersOf(events).slice(0, 3)).toMatchObject(
      Array.from({ length: 3 }, () => ({ error: { code: 'TOOL_ARGS_INVALID' } })),
    );
    expect(answersOf(events).every(({ ok }) => ok === false)).toBe(true);
    expect(existsSync(join(rig.project, 'made'))).toBe(false);
  });
});

it('[T74] without a sandbox each command needs consent for itself, whatever was allowed', async () => {
  const rig = await createShellRig([run('echo one'), run('echo one'), textReply('.')], {
    shell: { enabled: true, allow: ['echo'] },
    tree: { 'home/x': '' },
  });
  // A project that contains the home folder has no sandbox.
  vi.stubEnv('HOME', join(rig.project, 'home'));
  onTestFinished(() => void vi.unstubAllEnvs());
  const { session, events } = await rig.chat('autopilot');
  await session.input('go');
  expect(requestsIn(events)).toMatchObject([
    {
      action: {
        title: expect.stringMatching(/without a sandbox.*cannot be undone.*home folder/) as string,
        isOnceOnly: true,
      },
    },
  ]);
  await session.approve({ decision: 'always' });
  expect(answersOf(events)).toMatchObject([{ ok: true, output: 'one\n' }]);
  expect(requestsIn(events)).toHaveLength(2);
});

it('is neither offered nor run without a sandbox where several people share machines', async () => {
  const rig = await createShellRig([run('touch made'), textReply('.')], { tree: { 'home/x': '' } });
  Object.assign(rig.runtime.store, { requiresSandbox: true });
  vi.stubEnv('HOME', join(rig.project, 'home'));
  onTestFinished(() => void vi.unstubAllEnvs());
  const { session, events } = await rig.chat('autopilot');
  await session.input('go');
  expect(rig.offered(0)).not.toContain('shell_run');
  expect(answersOf(events)).toMatchObject([{ error: { code: 'TOOL_NOT_AVAILABLE' } }]);
  expect(existsSync(join(rig.project, 'made'))).toBe(false);
  expect(JSON.stringify(events)).toMatch(/Commands run only in a sandbox here.*home folder/);
});

describe.skipIf(!hasSandbox)('shell.run in the sandbox', () => {
  it('[T74] runs without a question under autopilot, with nothing of the store or the network', async () => {
    const rig = await createShellRig(
      [run('pwd; cat source'), run(`ls '../store'; cat ~/.ssh/* ; env`), textReply('.')],
      { tree: { source: 'text', '.env': 'TOKEN=secret-value' } },
    );
    process.env.CREWAGENT_TEST_KEY = 'sk-of-ours';
    const { session, events } = await rig.chat('autopilot');
    await session.input('go');
    const [first, second] = answersOf(events);
    expect(first).toEqual({ ok: true, exitCode: 0, output: '/project\ntext' });
    expect(second?.error?.details?.output ?? second?.output).not.toMatch(/secrets\.json|sk-of-ours|sk-test/);
    expect(requestsIn(events)).toEqual([]);
  });

  it('[T73] a rule allows commands by their first words, and never one with shell characters', async () => {
    const rig = await createShellRig([run('echo one two'), run('echo one; touch made'), textReply('.')], {
      shell: { enabled: true, allow: ['echo one'] },
    });
    const { session, events } = await rig.chat('ask');
    await session.input('go');
    expect(answersOf(events)).toMatchObject([{ output: 'one two\n' }]);
    expect(requestsIn(events)).toMatchObject([{ action: { target: 'echo one; touch made' } }]);
  });

  it('[T77] a failure has the exit code and the output; a long output is a file in @state', async () => {
    const rig = await createShellRig([
      run('echo why >&2; exit 3'),
      run('seq 1 20000'),
      run('/no/such/program', { args: [] }),
      run('sleep 30177', { timeoutSeconds: 1 }),
      textReply('.'),
    ]);
    const { session, events } = await rig.chat('autopilot');
    await session.input('go');
    const [failed, long, missing, slow] = answersOf(events);
    expect(failed).toMatchObject({
      ok: false,
      error: { code: 'COMMAND_FAILED', details: { exitCode: 3, output: 'why\n' } },
    });
    expect(endedIn(events)[0]).toMatchObject({ outcome: 'failed', code: 'COMMAND_FAILED' });
    expect(long).toMatchObject({
      ok: true,
      truncated: true,
      outputPath: expect.stringMatching(/^@state\/commands\//) as string,
    });
    expect(long?.output?.length).toBeLessThan(13_000);
    expect(long?.output).toMatch(/20000\n$/);
    expect(missing).toMatchObject({ error: { code: 'COMMAND_FAILED' } });
    expect(slow).toMatchObject({ error: { code: 'TOOL_TIMEOUT' } });
    await expect.poll(() => processesWith('sleep 30177')).toEqual([]);
  });

  it('[T78] Stop kills the command with its children', async () => {
    const rig = await createShellRig([
      run('setsid sleep 90133 & sleep 90133 & echo x > started; wait'),
      textReply('.'),
    ]);
    const { session, events } = await rig.chat('autopilot');
    const going = session.input('go');
    await expect.poll(() => readInViews(rig.root, 'started')).toBe('x\n');
    await session.stop();
    await going;
    await expect.poll(() => processesWith('sleep 90133')).toEqual([]);
    expect(existsSync(join(rig.project, 'started'))).toBe(false);
    expect(answersOf(events)).toMatchObject([
      { error: { code: 'ENGINE_ABORTED', message: expect.stringContaining('took effect') as string } },
    ]);
  });

  it('[T79] files it changed are listed and can be undone', async () => {
    const rig = await createShellRig(
      [run('echo new > made; echo more >> text; rm gone; touch same'), textReply('.')],
      {
        tree: { text: 'old\n', gone: 'was here', same: 'same' },
      },
    );
    const { session, events } = await rig.chat('autopilot');
    await session.input('go');
    expect(answersOf(events)[0]?.changed).toEqual([
      { path: '@project/gone', kind: 'deleted' },
      { path: '@project/made', kind: 'created' },
      { path: '@project/text', kind: 'changed' },
    ]);
    await session.close();
    const changes = await rig.runtime.openChanges(toAddress(session.record));
    await changes.undo({ all: true });
    await changes.close();
    expect(await readFile(join(rig.project, 'text'), 'utf8')).toBe('old\n');
    expect(await readFile(join(rig.project, 'gone'), 'utf8')).toBe('was here');
    expect(existsSync(join(rig.project, 'made'))).toBe(false);
  });
});

describe.skipIf(!hasSandbox)('a process that is killed while a command runs', () => {
  it('[T78] ends the command; after a resume its outcome is unknown and it is not repeated', async () => {
    const rig = await createShellRig([run('echo x >> runs; sleep 90377'), textReply('.')]);
    const driver = spawn(process.execPath, [driverPath('mcp-chat'), rig.root, rig.provider.url], {
      stdio: 'inherit',
    });
    await expect.poll(() => readInViews(rig.root, 'runs')).toBe('x\n');
    driver.kill('SIGKILL');
    await once(driver, 'exit');
    await expect.poll(() => processesWith('sleep 90377')).toEqual([]);
    const session = await rig.runtime.openConversation('last');
    const events: RunEvent[] = [];
    session.subscribe((event) => events.push(event));
    await session.resume();
    await session.close();
    expect(endedIn(events)).toMatchObject([
      {
        name: 'shell.run',
        code: 'ENGINE_ABORTED',
        message: expect.stringContaining('look whether it took effect') as string,
        effect: { kind: 'external' },
      },
    ]);
    expect(existsSync(join(rig.project, 'runs'))).toBe(false);
    expect(readInViews(rig.root, 'runs')).toBeUndefined();
  });
});

describe.skipIf(!hasSandbox)('rehearsal and replay', () => {
  it('[T77] start no command; a replay answers from the recording', async () => {
    const rig = await createShellRig([run('echo x >> runs'), textReply('Done.')]);
    const { runtime, project, model } = rig;
    const recordTo = join(rig.root, 'recorded.jsonl');
    const recorded = await runtime.createWork({
      projectPath: project,
      kind: 'chat',
      model,
      approval: 'autopilot',
      recordTo,
    });
    await recorded.input('go');
    await recorded.close();
    const replayed = await runtime.createWork({
      projectPath: project,
      kind: 'chat',
      model: { replay: recordTo },
      approval: 'autopilot',
    });
    onTestFinished(() => replayed.close());
    const events: RunEvent[] = [];
    replayed.subscribe((event) => events.push(event));
    await replayed.input('go');
    expect(answersOf(events)).toMatchObject([{ ok: true, exitCode: 0 }]);
    expect(await readFile(join(project, 'runs'), 'utf8')).toBe('x\n');
  });
});
