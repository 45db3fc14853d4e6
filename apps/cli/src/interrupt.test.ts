import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import {
  type ProviderScript,
  startFakeProvider,
} from '../../../packages/core/src/testing/models/fake-provider.ts';
import {
  hangAfterHeaders,
  stallAfter,
  textReply,
  tricklingReply,
} from '../../../packages/core/src/testing/models/provider-replies.ts';
import { samplePackage } from '../../../packages/core/src/testing/packages/sample-package.ts';
import { attach, type CliRig, createCliRig, parseLines } from './testing/cli-rig.ts';
import { ENTRY } from './testing/running-command.ts';

const startProvider = async (script: ProviderScript) => attach(await startFakeProvider(script));
const writeSample = (rig: CliRig): Promise<string> => rig.write('sample', samplePackage());

const isWindows = process.platform === 'win32';

/** A run whose model stalls in the middle of a reply: in this process, or in a child process. */
async function startHanging(how: 'start' | 'spawn', ...args: string[]) {
  const rig = await createCliRig();
  const provider = await startProvider((_, index) =>
    index === 0
      ? stallAfter(textReply('Let me think about it.', { pieceLength: 4 }), 4)
      : textReply('Here I am.'),
  );
  const run = rig[how]('run', await writeSample(rig), '-p', 'project', ...provider.options, ...args);
  await run.printed(args.includes('--json') ? '"message.delta"' : 'Let');
  return { rig, provider, run };
}

describe.skipIf(isWindows)('signals', () => {
  it.each([
    ['SIGINT', 'spawn'],
    ['SIGTERM', 'start'],
    ['SIGHUP', 'start'],
  ] as const)('[C16] %s stops the run cleanly (%s)', async (signal, how) => {
    const { rig, run } = await startHanging(how);
    run.kill(signal);
    const { code, out, err } = await run.ended;
    expect(err).toBe('');
    expect(out).toMatch(/^… The run was stopped; it can be resumed at any time\.$/m);
    expect(out).toMatch(/next {4}crewagent resume [0-9a-f]{8}/);
    expect(code).toBe(130);
    const resumed = await rig.run('resume', 'last');
    expect(resumed.out).toContain('Here I am.');
    expect(resumed.code).toBe(3);
  });

  it('[C16] prints the result as the last line with --json', async () => {
    const { run } = await startHanging('start', '--json');
    run.kill('SIGINT');
    const { code, out } = await run.ended;
    expect(parseLines(out).result).toMatchObject({ phase: 'WaitingUser', reason: { code: 'stopped' } });
    expect(code).toBe(130);
  });

  it('[C16] exits at once on a second signal, and lists the run as interrupted', async () => {
    const { rig, run } = await startHanging('spawn');
    // Both signals are pending when the process wakes up.
    run.kill('SIGSTOP');
    run.kill('SIGINT');
    run.kill('SIGTERM');
    run.kill('SIGCONT');
    expect((await run.ended).code).toBe(130);
    expect((await rig.run('runs')).out).toMatch(/interrupted|stopped/);
    expect((await rig.run('resume', 'last')).out).toContain('Here I am.');
  });

  it('[C17] lists a run whose process was killed as interrupted', async () => {
    const { rig, run } = await startHanging('spawn');
    run.kill('SIGKILL');
    await run.ended;
    expect((await rig.run('runs')).out).toContain('… interrupted');
    expect((await rig.run('show', 'last')).out).toContain('… interrupted');
  });

  it('[C16] stops the run when the output pipe is closed', async () => {
    const rig = await createCliRig();
    const provider = await startProvider([
      tricklingReply('data: {"choices":[{"delta":{"content":"word "}}]}\n\n', 20),
    ]);
    const args = ['run', await writeSample(rig), '-p', 'project', '--json', ...provider.options];
    const command = `"${process.execPath}" "${ENTRY}" ${args.map((arg) => `'${arg}'`).join(' ')} | head -n 3 > /dev/null; echo "\${PIPESTATUS[0]}"`;
    const shell = spawn('bash', ['--norc', '-c', command], { cwd: rig.folder, env: rig.env });
    let out = '';
    shell.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    await once(shell, 'close');
    expect(out).toBe('130\n');
    expect((await rig.run('runs')).out).toContain('… stopped');
  });
});

describe('stop', () => {
  it('[C16] stops a run in another process', async () => {
    const { rig, run } = await startHanging('spawn');
    const stopped = await rig.run('stop', 'last');
    expect(stopped).toMatchObject({ code: 0, err: '' });
    expect(stopped.out).toMatch(/^✔ Run [0-9a-f]{8} was stopped\. Resume it with: crewagent resume/);
    expect((await run.ended).code).toBe(130);
  });

  it('[C16] reports that there is nothing to stop', async () => {
    const rig = await createCliRig();
    const provider = await startProvider([textReply('Hello?')]);
    await rig.run('run', await writeSample(rig), '-p', 'project', ...provider.options);
    expect(await rig.run('stop', 'last')).toMatchObject({
      code: 0,
      out: expect.stringContaining('there is nothing to stop') as string,
    });
    expect(await rig.run('stop', 'nobody')).toMatchObject({ code: 2 });
  });

  it('[C17] rejects a second process on a locked run, which can still be shown', async () => {
    const { rig, run } = await startHanging('spawn');
    for (const command of [['resume'], ['answer'], ['undo', '--all'], ['runs', 'delete', '--yes']]) {
      const { code, err } = await rig.run(...command, 'last', ...(command[0] === 'answer' ? ['x'] : []));
      expect(code).toBe(2);
      expect(err).toMatch(
        /^Error: Another process \(\d+\) is working on this run; wait for it, or stop it first\.\n$/,
      );
    }
    const shown = await rig.run('show', 'last');
    expect(shown.out).toContain('▸ running (open in a process)');
    expect(shown.out).toContain('stop    crewagent stop');
    run.kill('SIGKILL');
    await run.ended;
  });

  it('[C1] stops without waiting for a reply that never comes', async () => {
    const rig = await createCliRig();
    const provider = await startProvider([hangAfterHeaders()]);
    const run = rig.start('run', await writeSample(rig), '-p', 'project', '--json', ...provider.options);
    await run.printed('"turn.started"');
    await rig.run('stop', 'last');
    expect((await run.ended).code).toBe(130);
  });
});
