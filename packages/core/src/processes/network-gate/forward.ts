/**
 * Runs inside the sandbox: accepts connections on its loopback address, forwards them to the socket of the gate, and runs the
 * command with its own input, output and signals. The script of that process is this function as text, so it uses only its
 * arguments and Node itself.
 */
import type * as childProcess from 'node:child_process';
import type * as fs from 'node:fs';
import type * as net from 'node:net';
import type * as os from 'node:os';

export interface ForwardOptions {
  readonly socketPath: string;
  readonly port: number;
  readonly command: string;
  readonly args: readonly string[];
}

interface ForwardModules {
  readonly net: typeof net;
  readonly childProcess: typeof childProcess;
  readonly fs: typeof fs;
  readonly os: typeof os;
}

export function forward({ net, childProcess, fs, os }: ForwardModules, options: ForwardOptions): void {
  const { socketPath, port, command, args } = options;
  const fail = (message: string, code: number): never => {
    // The streams of `process` would change the pipes that the command shares with this process.
    fs.writeSync(2, `${message}\n`);
    return process.exit(code);
  };
  const server = net.createServer({ allowHalfOpen: true }, (inside) => {
    const outside = net.connect({ path: socketPath, allowHalfOpen: true });
    inside.on('error', () => outside.destroy());
    outside.on('error', () => inside.destroy());
    inside.on('close', () => outside.destroy());
    outside.on('close', () => inside.destroy());
    inside.pipe(outside);
    outside.pipe(inside);
  });
  server.on('error', (error) =>
    fail(`The network of the sandbox could not be set up: ${error.message}`, 125),
  );
  server.listen(port, '127.0.0.1', () => {
    const { ELECTRON_RUN_AS_NODE: _, ...inherited } = process.env;
    // Not for this process, in which Node 22 would print a warning.
    const env = { ...inherited, NODE_USE_ENV_PROXY: '1' };
    // Before the command can send a signal to its parent.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2', 'SIGWINCH'] as const)
      process.on(signal, () => child.kill(signal));
    const child = childProcess.spawn(command, args, { stdio: 'inherit', env });
    child.on('error', ({ message, code }: NodeJS.ErrnoException) => {
      fail(`${command}: ${code === 'ENOENT' ? 'not found' : message}`, code === 'ENOENT' ? 127 : 126);
    });
    // As a shell reports it: this process may be the first of its namespace, where signals to itself are ignored.
    child.on('exit', (code, signal) => process.exit(code ?? 128 + os.constants.signals[signal ?? 'SIGKILL']));
  });
}

/** CommonJS, as a file of its own. */
export function toForwardScript(): string {
  return `const [socketPath, port, command, ...args] = process.argv.slice(2);
const modules = { childProcess: require('node:child_process') };
for (const name of ['fs', 'net', 'os']) modules[name] = require('node:' + name);
(${String(forward)})(modules, { socketPath, port: Number(port), command, args });
`;
}
