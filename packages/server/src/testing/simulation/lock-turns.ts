/** Who waits for which lock, and how often others got it meanwhile. */
import { readlinkSync } from 'node:fs';
import type { Machine } from './simulated-process.ts';

/** A process polls, so others may be quicker; but not always. */
const MAX_OVERTAKEN = 200;

export function createLockTurns() {
  /** By file and process: how often another process got the lock since it first tried. */
  const waiting = new Map<string, Map<number, number>>();
  const overtaken: string[] = [];
  return {
    overtaken: overtaken as readonly string[],
    onLock: (({ pid, descriptor, isTaken }) => {
      const file = readlinkSync(`/proc/self/fd/${descriptor}`);
      const waiters = waiting.get(file) ?? new Map<number, number>();
      waiting.set(file, waiters);
      if (!isTaken) {
        if (!waiters.has(pid)) waiters.set(pid, 0);
        return;
      }
      waiters.delete(pid);
      for (const [other, count] of waiters) {
        waiters.set(other, count + 1);
        if (count + 1 > MAX_OVERTAKEN) overtaken.push(`process ${other} waits for ${file}`);
      }
    }) satisfies Machine['onLock'],
    /** The process has ended. */
    forget(pid: number): void {
      for (const waiters of waiting.values()) waiters.delete(pid);
    },
  };
}
