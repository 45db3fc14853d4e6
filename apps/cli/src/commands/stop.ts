/** `crewagent stop`: asks the process that drives a run to stop it. */
import { setTimeout } from 'node:timers/promises';
import { type RunAddress, type Runtime, resolveRun, stopWork } from '@crewagent/core';
import { toStatus } from '@crewagent/protocol/status';
import { openRuntime } from '../open-runtime.ts';
import { shortId } from '../print/describe-work.ts';
import { say } from '../print/texts/say.ts';
import { print, printDone } from '../terminal.ts';

const TIMEOUT_MS = 2_000;
const POLL_INTERVAL_MS = 50;

export async function stop(ref: string): Promise<void> {
  const runtime = openRuntime();
  const address = await resolveRun(runtime.store, ref);
  const run = shortId(address.workId);
  const isLocked = (): Promise<boolean> => runtime.store.works.isLeased(address);

  if (!(await stopWork(runtime.store, address))) return print(say('stop.nothing', { run }));
  const end = performance.now() + TIMEOUT_MS;
  while (await isLocked()) {
    if (performance.now() >= end) {
      print(await describeHolder(runtime, address));
      return;
    }
    await setTimeout(POLL_INTERVAL_MS);
  }
  printDone(say('stop.done', { run }));
}

/** A process that waits for input has nothing to stop, but still holds the lock. */
async function describeHolder({ store }: Runtime, address: RunAddress): Promise<string> {
  const { isRunning } = toStatus(await store.works.read(address));
  const run = shortId(address.workId);
  return say(isRunning ? 'stop.notYet' : 'stop.elsewhere', { run });
}
