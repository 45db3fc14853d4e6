/** Runs a command behind a network gate, in a sandbox, and prints what it wrote and what was refused. */
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { openNetworkGate } from '../../processes/network-gate/network-gate.ts';
import { startHttpServer } from '../http-server.ts';

const BUBBLEWRAP = '/usr/bin/bwrap';

const { port, close } = await startHttpServer((_, response) => response.end('the server'));
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
  void close();
  void gate.close();
});
