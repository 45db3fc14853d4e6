/** Runs a command behind a network gate, in a sandbox, and prints what it wrote and what was refused. */
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { openNetworkGate } from '../../processes/network-gate/network-gate.ts';

const BUBBLEWRAP = '/usr/bin/bwrap';

const server = createServer((_, response) => response.end('the server'));
await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
const gate = await openNetworkGate({
  hosts: ['example.org'],
  resolve: () => Promise.resolve([{ address: '93.184.215.14', family: 4 }]),
  dial: () => connect({ port, host: '127.0.0.1', allowHalfOpen: true }),
});
const { command, args } = gate.wrap({ command: '/bin/sh', args: ['-c', process.argv[2] ?? ''] });
const binds = gate.binds.flatMap((path) => ['--ro-bind', path, path]);
const isolation = ['--unshare-all', '--unshare-user', '--uid', '1000', '--gid', '1000', '--cap-drop', 'ALL'];
const system = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'];
const child = spawn(BUBBLEWRAP, [...isolation, ...system, ...binds, '--', command, ...args], {
  env: { PATH: process.env.PATH, ...gate.env },
  stdio: 'inherit',
});
child.on('exit', (code) => {
  process.stdout.write(`\n${JSON.stringify({ code, refused: gate.refused() })}`);
  server.close();
  void gate.close();
});
