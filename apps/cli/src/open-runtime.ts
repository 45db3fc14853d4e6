/**
 * Opens the runtime on this user's store. Separate from `context.ts`, so that commands without runs start faster.
 */
import { createRuntime, defaultStoreRoot, type Runtime } from '@crewagent/core';
import type { Attendance } from './attendance.ts';
import { hostProcess } from './host-process.ts';
import { limitMemorySoon } from './limit-memory.ts';
import { printError, sanitize } from './terminal.ts';

/** A script is told when to come back, instead of being kept waiting. */
const UNATTENDED_WAIT_MS = 60_000;

/** Without attendance, questions can always be answered. */
export function openRuntime(attendance?: Attendance): Runtime {
  const host = hostProcess();
  const { env } = host;
  // Not in a process that several commands share.
  if (host === process) limitMemorySoon();
  return createRuntime({
    storeRoot: defaultStoreRoot(env),
    env,
    attendance: attendance && {
      isAttended: attendance.isAttended,
      maxWaitMs: attendance.isAsking ? undefined : UNATTENDED_WAIT_MS,
    },
    onWarning: (message) => printError(`! ${sanitize(message)}`),
    onBug(id, error) {
      if (env.CREWAGENT_DEBUG)
        printError(`${id}: ${error instanceof Error && error.stack ? error.stack : String(error)}`);
    },
  });
}
