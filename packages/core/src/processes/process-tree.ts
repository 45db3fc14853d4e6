/**
 * Child processes that end as a tree: each has its own process group and a minimal environment, and ends with this process,
 * however that ends. Used for MCP servers and for commands.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { bareEnvironment } from '../base/bare-environment.ts';
import { errnoOf } from '../base/errno.ts';
import { createCgroup, endCgroup } from './cgroup.ts';
import { killMarkedProcesses, PROCESS_MARK } from './marked-processes.ts';

export interface TreeCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Variables for this process only. */
  readonly env: Readonly<Record<string, string>>;
  /** Names of variables it inherits, besides the minimal ones. */
  readonly inheritEnv: readonly string[];
  readonly cwd: string;
}

export interface ProcessTree {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly pid: number | undefined;
  /** How the process ended; never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** Kills the process and its children. Resolves when the process has ended. */
  kill(): Promise<void>;
}

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why the process could not be started. */
  readonly error?: string;
}

/** Enough to find programs and the person's folders; none of our keys. */
const BASE_ENV = 'PATH HOME USER LOGNAME LANG LC_ALL TZ TMPDIR TEMP TMP APPDATA'.split(' ');

/**
 * Descriptor 3 is a pipe whose other end only this process has: it closes when this process ends, even by kill -9. The
 * background shell then kills what is in the cgroup, `$1`. Where there is none, it kills what left the process group but has the
 * mark in its environment (where there is a /proc): it looks more than once, as an environment is empty while `exec` replaces a
 * program. At last it kills the group. The program replaces the foreground shell, which entered the cgroup, so its pid is the
 * child's.
 */
const WATCHED = `cgroup=$1; shift
(cat <&3 >/dev/null 2>&1
if [ -d "$cgroup" ]; then
  for round in 1 2 3 4 5 6 7 8 9; do
    echo 1 > "$cgroup/cgroup.kill" || kill -KILL $(cat "$cgroup/cgroup.procs")
    find "$cgroup" -depth -type d -exec rmdir {} +
    [ -d "$cgroup" ] || break
    sleep 0.1
  done
else
  read -r self rest < /proc/self/stat
  for round in 1 2 3; do for file in /proc/[0-9]*/environ; do
    pid=\${file#/proc/}; pid=\${pid%/environ}
    if [ "$pid" != "$self" ] && grep -qsa "${PROCESS_MARK}=$${PROCESS_MARK}" "$file"; then kill -KILL "$pid"; fi
  done; [ -r /proc/self/environ ] && sleep 1; done
fi
kill -KILL 0) </dev/null >/dev/null 2>&1 &
[ -z "$cgroup" ] || echo 0 2>/dev/null > "$cgroup/cgroup.procs" || rmdir "$cgroup" 2>/dev/null
exec "$@" 3<&-`;

const isWindows = process.platform === 'win32';

export function startProcessTree({ command, args, env, inheritEnv, cwd }: TreeCommand): ProcessTree {
  const mark = randomUUID();
  const cgroup = createCgroup(mark);
  const [file, list] = isWindows
    ? [command, args]
    : ['/bin/sh', ['-c', WATCHED, 'sh', cgroup ?? '', command, ...args]];
  const child = spawn(file, [...list], {
    cwd,
    env: { ...bareEnvironment([...BASE_ENV, ...inheritEnv]), ...env, [PROCESS_MARK]: mark },
    stdio: ['pipe', 'pipe', 'pipe', isWindows ? 'ignore' : 'pipe'],
    // Its own process group, so that one signal reaches the whole tree.
    detached: !isWindows,
    windowsHide: true,
  });
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr) throw new Error('a child process without pipes');
  // A process that closes its input early is detected by its exit.
  stdin.on('error', () => undefined);
  child.stdio[3]?.on('error', () => undefined);
  let isEnded = false;
  const ended = new Promise<ProcessEnd>((resolve) => {
    const killEscaped = async (): Promise<void> => {
      if (cgroup === undefined || !(await endCgroup(cgroup))) await killMarkedProcesses(mark);
    };
    child.once('error', ({ message: error }) => {
      void killEscaped().then(() => resolve({ code: null, signal: null, error }));
    });
    child.once('exit', (code, signal) => {
      // Must happen now: once the group is empty, its id may be reused.
      killGroup(child);
      isEnded = true;
      void killEscaped().then(() => resolve({ code, signal }));
    });
  });
  return {
    stdin,
    stdout,
    stderr,
    pid: child.pid,
    ended,
    async kill() {
      if (!isEnded) killGroup(child);
      await ended;
    },
  };
}

function killGroup(child: ChildProcess): void {
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
