/**
 * Finds and kills processes that left their process group (`setsid`): every child has a mark in its environment, which its own
 * children inherit and Linux shows in /proc. A process that clears its environment is not found.
 */
import { readdir, readFile } from 'node:fs/promises';
import { errnoOf } from '../base/errno.ts';

export const PROCESS_MARK = 'CREWAGENT_PROCESS';

/** A killed process may have started another one meanwhile. */
const MAX_ROUNDS = 5;

export async function killMarkedProcesses(mark: string): Promise<void> {
  if (process.platform !== 'linux') return;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const found = await findMarked(mark);
    if (found.length === 0) return;
    for (const pid of found) kill(pid);
  }
}

async function findMarked(mark: string): Promise<number[]> {
  const entry = Buffer.from(`${PROCESS_MARK}=${mark}`);
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const marked = await Promise.all(
    pids.map(async (pid) => {
      // Processes of other users cannot be read, and others end meanwhile. A zombie has an empty environment.
      const environ = await readFile(`/proc/${pid}/environ`).catch(() => undefined);
      return environ?.includes(entry) ? [Number(pid)] : [];
    }),
  );
  return marked.flat();
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (errnoOf(error) !== 'ESRCH' && errnoOf(error) !== 'EPERM') throw error;
  }
}
