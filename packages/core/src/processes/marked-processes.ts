/**
 * Finds and kills processes that left their process group (`setsid`), where this user may make no cgroup: every child has a mark in
 * its environment, which its own children inherit and Linux shows in /proc. A process that clears its environment is not found.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { errnoOf, ifSystemAllows } from '../base/errno.ts';

export const PROCESS_MARK = 'CREWAGENT_PROCESS';

/** Processes may start others, and replace their programs, for as long as this: then it is given up. */
const MAX_MS = 5_000;
const PAUSE_MS = 10;

export async function killMarkedProcesses(mark: string): Promise<void> {
  if (process.platform !== 'linux') return;
  const killed = new Set<number>();
  const endMs = performance.now() + MAX_MS;
  while (performance.now() < endMs) {
    const { marked, isUnsure } = findMarked(mark);
    // A killed process is listed until the system has removed it.
    const found = marked.filter((pid) => !killed.has(pid));
    for (const pid of found) {
      kill(pid);
      killed.add(pid);
    }
    if (found.length === 0 && !isUnsure) return;
    // Other work goes first: looking is synchronous, and may be repeated for seconds.
    await sleep(found.length === 0 ? PAUSE_MS : 0);
  }
}

/**
 * `isUnsure`: there is a process that cannot be judged yet. Synchronous: an environment is empty if the program was replaced between
 * opening and reading it, which takes 10 µs.
 */
function findMarked(mark: string) {
  const entry = Buffer.from(`${PROCESS_MARK}=${mark}`);
  const marked: number[] = [];
  let isUnsure = false;
  for (const pid of listProcesses()) {
    const environment = readEnvironment(pid);
    if (environment === 'not yet') isUnsure = true;
    else if (environment?.includes(entry)) marked.push(Number(pid));
  }
  return { marked, isUnsure };
}

/** Empty where /proc is not mounted. */
function listProcesses(): string[] {
  return (ifSystemAllows(() => readdirSync('/proc')) ?? []).filter((name) => /^\d+$/.test(name));
}

/** `not yet` while `exec` replaces the program. Undefined for processes of other users and for those that ended. */
function readEnvironment(pid: string): Buffer | 'not yet' | undefined {
  return ifSystemAllows(() => {
    const environment = readFileSync(`/proc/${pid}/environ`);
    return environment.length > 0 || hasEmptyEnvironment(pid) ? environment : 'not yet';
  });
}

/** Whether the environment begins where it ends. While `exec` replaces a program, both positions are 0. */
function hasEmptyEnvironment(pid: string): boolean {
  // Throws for a zombie, whose positions are 0 too.
  readlinkSync(`/proc/${pid}/exe`);
  const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The process name in parentheses may contain anything; `env_start` is field 50, the 48th after it.
  const [begin, end] = status
    .slice(status.lastIndexOf(')') + 2)
    .split(' ')
    .slice(47);
  return begin === end && end !== '0';
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (errnoOf(error) !== 'ESRCH' && errnoOf(error) !== 'EPERM') throw error;
  }
}
