/** `crewagent stop`: asks the process that works on a run to stop. */
import { setTimeout } from 'node:timers/promises';
import { readRunRecord, resolveRun } from '@crewagent/core';
import { shortId } from '../describe-run.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { openRuntime } from '../open-runtime.ts';
import { print, style } from '../terminal.ts';

const PATIENCE_MS = 2_000;
const LOOK_EVERY_MS = 50;

export async function stop(ref: string): Promise<ExitCode> {
  const runtime = openRuntime();
  const address = await resolveRun(runtime.store, ref);
  const run = shortId(address.runId);
  const isRunning = async (): Promise<boolean> =>
    (await readRunRecord(runtime.store, address)).phase === 'Running';

  if (!(await runtime.stopRun(address.runId))) {
    print(`No process works on run ${run}; there is nothing to stop.`);
    return EXIT.ok;
  }
  const end = performance.now() + PATIENCE_MS;
  while (await isRunning()) {
    if (performance.now() >= end) {
      print(`Run ${run} was asked to stop; it has not done so yet.`);
      return EXIT.ok;
    }
    await setTimeout(LOOK_EVERY_MS);
  }
  print(`${style('green', '✔')} Run ${run} has stopped. Go on with: crewagent resume ${run}`);
  return EXIT.ok;
}
