/** A thread in which Works are open: a runtime of its own on the same store. */
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { createRuntime } from '@crewagent/core';
import type { HostReply } from './host-messages.ts';
import { serveWorks, toSentError } from './serve-works.ts';

export interface ThreadData {
  readonly storeRoot: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A little: against other programs a run gets half of what they get, which is still enough. */
const LOWER = 3;

/** The thread that answers pages comes first. Only Linux has priorities of threads. */
function yieldToPages(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), LOWER);
  } catch {
    // A container without /proc, or one that does not allow it: all threads are equal.
  }
}

const send = (reply: HostReply): void => parentPort?.postMessage(reply);

if (parentPort) {
  yieldToPages();
  serveWorks(
    parentPort,
    createRuntime({
      ...(workerData as ThreadData),
      onBug: (name, error) => send({ kind: 'bug', name, error: toSentError(error) }),
      onWarning: (message) => send({ kind: 'warning', message }),
    }),
  );
}
