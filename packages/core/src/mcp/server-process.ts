/**
 * The process of a stdio server: has its own process group and a minimal environment, and ends with this process, however that
 * ends. Stopping the server kills the group, so that no child of the server survives.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { bareEnvironment } from '../base/bare-environment.ts';
import { errnoOf } from '../base/errno.ts';

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Variables for the server only. */
  readonly env: Readonly<Record<string, string>>;
  /** Names of variables the server inherits. */
  readonly inheritEnv: readonly string[];
  readonly cwd: string;
}

export interface ServerProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly pid: number | undefined;
  /** Resolves to a sentence about how the process ended; never rejects. */
  readonly ended: Promise<string>;
  /** Kills the process and its children. Resolves when the process has ended. */
  kill(): Promise<void>;
}

/** Enough to find programs and the person's folders; none of our keys. */
const BASE_ENV = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'LC_ALL',
  'TZ',
  'TMPDIR',
  'TEMP',
  'TMP',
  'APPDATA',
];

/**
 * Descriptor 3 is a pipe whose other end only this process has: it closes when this process ends, even by kill -9, and the
 * background shell then kills its process group. The server replaces the foreground shell, so its pid is the child's.
 */
const WATCHED = '(cat <&3 >/dev/null 2>&1; kill -KILL 0) </dev/null >/dev/null 2>&1 & exec "$@" 3<&-';

const isWindows = process.platform === 'win32';

export function startServerProcess({ command, args, env, inheritEnv, cwd }: ServerCommand): ServerProcess {
  const [file, list] = isWindows ? [command, args] : ['/bin/sh', ['-c', WATCHED, 'sh', command, ...args]];
  const child = spawn(file, [...list], {
    cwd,
    env: { ...bareEnvironment([...BASE_ENV, ...inheritEnv]), ...env },
    stdio: ['pipe', 'pipe', 'pipe', isWindows ? 'ignore' : 'pipe'],
    // Its own process group, so that one signal reaches the whole tree.
    detached: !isWindows,
    windowsHide: true,
  });
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr) throw new Error('a child process without pipes');
  // A server that closes its input early is detected by its exit.
  stdin.on('error', () => undefined);
  child.stdio[3]?.on('error', () => undefined);
  let isEnded = false;
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`The command could not be started: ${error.message}.`));
    child.once('exit', (code, signal) => {
      // Must happen now: once the group is empty, its id may be reused.
      killTree(child);
      isEnded = true;
      resolve(toEnding(code, signal));
    });
  });
  return {
    stdin,
    stdout,
    stderr,
    pid: child.pid,
    ended,
    async kill() {
      if (!isEnded) killTree(child);
      await ended;
    },
  };
}

function killTree(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  if (isWindows) {
    spawn('taskkill', ['/pid', String(pid), '/T', '/F'], {
      stdio: 'ignore',
      env: bareEnvironment(['PATH']),
    }).on('error', () => child.kill('SIGKILL'));
    return;
  }
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // The group is already empty.
    if (errnoOf(error) !== 'ESRCH' && errnoOf(error) !== 'EPERM') throw error;
  }
}

function toEnding(code: number | null, signal: NodeJS.Signals | null): string {
  if (code === 127) return 'The command was not found.';
  if (code === 126) return 'The command is not executable.';
  return signal === null
    ? `The server exited with code ${code ?? 0}.`
    : `The server was terminated by signal ${signal}.`;
}
