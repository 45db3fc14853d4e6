/** A thread in which Works are open: a runtime of its own on the same store. */
import { parentPort, workerData } from 'node:worker_threads';
import { createRuntime } from '@crewagent/core';
import type { HostReply } from './host-messages.ts';
import { serveWorks, toSentError } from './serve-works.ts';

export interface ThreadData {
  readonly storeRoot: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const send = (reply: HostReply): void => parentPort?.postMessage(reply);

if (parentPort)
  serveWorks(
    parentPort,
    createRuntime({
      ...(workerData as ThreadData),
      onBug: (name, error) => send({ kind: 'bug', name, error: toSentError(error) }),
      onWarning: (message) => send({ kind: 'warning', message }),
    }),
  );
