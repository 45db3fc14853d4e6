import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { driverPath } from '../../testing/driver-path.ts';
import { hasSandbox } from '../../testing/require-sandbox.ts';
import { createGateRig } from '../../testing/rigs/gate-rig.ts';
import { type ProcessTree, startProcessTree } from '../process-tree.ts';
import { systemProgram } from '../system-program.ts';
import type { NetworkGate } from './network-gate.ts';

/** Node 22 warns that its support of proxies is experimental. */
const SILENT = '--no-warnings';

/** Starts a command behind the gate, in a sandbox without any network of its own. */
function start(gate: NetworkGate, command: string, ...args: readonly string[]): ProcessTree {
  const { command: program, args: list } = gate.wrap({ command, args });
  const options = [
    ...['--unshare-all', '--die-with-parent', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...['--tmpfs', '/tmp', ...gate.binds.flatMap((path) => ['--ro-bind', path, path])],
  ];
  return startProcessTree({
    command: systemProgram('bwrap'),
    args: [...options, '--', program, ...list],
    env: gate.env,
    inheritEnv: [],
    cwd: '/',
  });
}

async function run(gate: NetworkGate, command: string, ...args: readonly string[]) {
  const tree = start(gate, command, ...args);
  tree.stdin.end();
  let output = '';
  for (const stream of [tree.stdout, tree.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  const { code } = await tree.ended;
  return { code, output };
}

describe.skipIf(!hasSandbox)('a command behind the gate', () => {
  it('[T150] reaches allowed names through the proxy, and nothing else', async () => {
    const { gate, arrived } = await createGateRig();
    expect(await run(gate, 'curl', '-s', 'http://example.org/from/curl')).toEqual({
      code: 0,
      output: 'answer to /from/curl',
    });
    expect((await run(gate, 'curl', '-sp', 'http://example.org/tunnel')).output).toBe('answer to /tunnel');
    const refused = await run(gate, 'curl', '-s', 'http://evil.example/');
    expect(refused.output).toContain('evil.example is not allowed');
    expect(await run(gate, 'curl', '-sS', 'https://evil.example/')).toMatchObject({ code: 56 });
    expect(gate.refused()).toEqual(['evil.example']);
    const direct = await run(gate, 'curl', '-s', '--noproxy', '*', 'http://93.184.215.14/');
    expect(direct.code).toBe(7);
    expect(arrived).toHaveLength(2);
    expect((await run(gate, 'cut', '-d:', '-f1', '/proc/net/dev')).output.trim().split(/\s+/).at(-1)).toBe(
      'lo',
    );
  });

  it.each([
    ['this user', {}],
    ['another user', process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}],
  ])('[T150] works as part of the product, as %s, without any privilege', (_, as) => {
    const script = 'curl -s http://example.org/; curl -s http://evil.example/ >/dev/null; exit 3';
    const { stdout, stderr } = spawnSync(process.execPath, [driverPath('gate-driver'), script], {
      ...as,
      cwd: '/',
      encoding: 'utf8',
      env: { PATH: process.env.PATH },
    });
    expect(stderr).toBe('');
    expect(stdout).toBe('the server\n{"code":3,"refused":["evil.example"]}');
  });

  it('[T150] reaches its own services, not those of this machine', async () => {
    const service = createServer((_, response) => response.end('a local service'));
    await new Promise<void>((resolve) => void service.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void service.close());
    const { port } = service.address() as AddressInfo;
    const { gate } = await createGateRig({ addresses: { 'example.org': '127.0.0.1' } });
    const local = `http://127.0.0.1:${port}/`;
    expect((await run(gate, 'curl', '-s', local)).code).toBe(7);
    expect((await run(gate, 'curl', '-s', '--noproxy', '', local)).output).not.toContain('a local service');
    expect((await run(gate, 'curl', '-s', 'http://example.org/')).output).toContain('never reachable');
    const own = `require('http').createServer((_, r) => r.end('own')).listen(${port}, function () {
      require('child_process').exec('curl -s ${local}', (_, out) => { console.log(out); this.closeAllConnections(); this.close(); });
    })`;
    expect((await run(gate, process.execPath, SILENT, '-e', own)).output).toBe('own\n');
  });

  it('gets its arguments, input, output and exit code as without the gate', async () => {
    const { gate } = await createGateRig();
    const odd = ['', ' a  b ', '$HOME', '`x`', "it's", '--version', '-', '\n', 'ü'];
    const { output } = await run(
      gate,
      process.execPath,
      SILENT,
      '-e',
      'console.log(JSON.stringify(process.argv.slice(1)))',
      '--',
      ...odd,
    );
    expect(JSON.parse(output)).toEqual(odd);
    expect(await run(gate, '/bin/sh', '-c', 'echo out; echo err >&2; exit 7')).toMatchObject({ code: 7 });
    expect(await run(gate, '/bin/sh', '-c', 'kill -TERM $$')).toMatchObject({ code: 143 });
    expect(await run(gate, 'no-such-program')).toEqual({ code: 127, output: 'no-such-program: not found\n' });
    expect(await run(gate, '/etc/passwd')).toMatchObject({ code: 126 });
    const echo = start(gate, 'cat');
    const lines: string[] = [];
    echo.stdout.on('data', (chunk: Buffer) => lines.push(chunk.toString('utf8')));
    for (const line of ['{"jsonrpc":"2.0"}\n', `${'x'.repeat(300_000)}\n`]) {
      echo.stdin.write(line);
      await expect.poll(() => lines.join('').endsWith(line)).toBe(true);
    }
    echo.stdin.end();
    expect(await echo.ended).toMatchObject({ code: 0 });
  });

  it('gets signals, and ends with the forwarder', async () => {
    const { gate } = await createGateRig();
    // The forwarder is the parent of the command.
    const script = 'trap "echo got; exit 3" TERM; kill -TERM $PPID; while :; do sleep 0.1; done';
    expect(await run(gate, '/bin/sh', '-c', script)).toEqual({ code: 3, output: 'got\n' });
    const killed = await run(gate, '/bin/sh', '-c', 'kill -KILL $PPID; sleep 600');
    expect(killed.code).toBe(137);
  });
});
