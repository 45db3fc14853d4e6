/** `crewagent stop`: asks the process that works on a run to stop. */
import { setTimeout } from 'node:timers/promises';
import { type RunAddress, type Runtime, resolveRun, stopWork } from '@crewagent/core';
import { shortId } from '../describe-run.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { openRuntime } from '../open-runtime.ts';
import { print, style } from '../terminal.ts';

const PATIENCE_MS = 2_000;
const LOOK_EVERY_MS = 50;

export async function stop(ref: string): Promise<ExitCode> {
  const runtime = openRuntime();
  const address = await resolveRun(runtime.store, ref);
  const run = shortId(address.workId);
  const isAtWork = (): Promise<boolean> => runtime.store.works.isLeased(address);

  if (!(await stopWork(runtime.store, address))) {
    print(`No process works on run ${run}; there is nothing to stop.`);
    return EXIT.ok;
  }
  const end = performance.now() + PATIENCE_MS;
  while (await isAtWork()) {
    if (performance.now() >= end) {
      print(await describeHolder(runtime, address));
      return EXIT.ok;
    }
    await setTimeout(LOOK_EVERY_MS);
  }
  print(`${style('green', '✔')} Run ${run} has stopped. Go on with: crewagent resume ${run}`);
  return EXIT.ok;
}

/** A process that waits for somebody to type has nothing to stop; it still holds the run. */
async function describeHolder({ store }: Runtime, address: RunAddress): Promise<string> {
  const { phase } = await store.works.read(address);
  const run = shortId(address.workId);
  return phase === 'Running'
    ? `Run ${run} was asked to stop; it has not done so yet.`
    : `Run ${run} waits for an answer at another terminal; answer it there, or end it there with Ctrl-C.`;
}
