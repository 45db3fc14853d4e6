/**
 * Finds and kills processes that left their process group (`setsid`): every child has a mark in its environment, which its own
 * children inherit and Linux shows in /proc. A process that clears its environment is not found.
 */
import { readdir, readFile, readlink } from 'node:fs/promises';
import { errnoOf } from '../base/errno.ts';

export const PROCESS_MARK = 'CREWAGENT_PROCESS';

/** A process may start another one before it is killed. */
const MAX_ROUNDS = 50;
/** A process that calls `exec` at each of these reads is missed in this round. */
const MAX_READS = 20;

export async function killMarkedProcesses(mark: string): Promise<void> {
  if (process.platform !== 'linux') return;
  const killed = new Set<number>();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    // A killed process is listed until the system has removed it.
    const found = (await findMarked(mark)).filter((pid) => !killed.has(pid));
    if (found.length === 0) return;
    for (const pid of found) {
      kill(pid);
      killed.add(pid);
    }
  }
}

async function findMarked(mark: string): Promise<number[]> {
  const entry = Buffer.from(`${PROCESS_MARK}=${mark}`);
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const marked = await Promise.all(
    pids.map(async (pid) => ((await readEnvironment(pid))?.includes(entry) ? [Number(pid)] : [])),
  );
  return marked.flat();
}

/** Undefined for processes of other users, those that ended, and those without an environment. */
async function readEnvironment(pid: string): Promise<Buffer | undefined> {
  for (let read = 0; read < MAX_READS; read++) {
    const environ = await readFile(`/proc/${pid}/environ`).catch(() => undefined);
    if (environ === undefined || environ.length > 0) return environ;
    // Empty while `exec` replaces the program, and for a zombie, which has no program.
    const program = await readlink(`/proc/${pid}/exe`).catch(() => undefined);
    if (program === undefined) return undefined;
  }
  return undefined;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (errnoOf(error) !== 'ESRCH' && errnoOf(error) !== 'EPERM') throw error;
  }
}
