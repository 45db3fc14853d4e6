/**
 * Starts or resumes a run with the rehearsal model and completes it, answering every question.
 */

import type { RunEvent } from '@crewagent/protocol/events';
import { CrewError } from '../base/crew-error.ts';
import type { StopPoint } from '../engine/stop-point.ts';
import { readEvidence } from '../reports/read-evidence.ts';
import type { Runtime } from '../runtime.ts';
import type { OpenRun } from '../session/open-run.ts';
import { toAddress } from '../store/work-address.ts';

/** `onEvent` gets the events from now on. */
export async function driveToEnd(
  runtime: Runtime,
  pkg: string,
  projectPath: string,
  onEvent: (event: RunEvent) => void = () => undefined,
) {
  const run = await openOrCreate(runtime, pkg, projectPath);
  run.engine.subscribe(onEvent);
  const isNew = run.engine.memory.turn === 0 && run.engine.memory.phase === 'WaitingUser';
  const stop = await answerAll(run, await (isNew ? run.engine.start() : run.engine.resume()));
  const { works } = runtime.store;
  const { text: state } = await works.openState(toAddress(run.record)).read();
  const sheet = await readEvidence(runtime.store, toAddress(run.record));
  const last = new Map(sheet.visits.map((visit) => [visit.nodeId, visit]));
  /** Outcome, files, checks and waivers of the last visit of each node, from the log. */
  const evidence = [...last.values()].map(({ nodeId, outcome, files, checks, waivers, decision }) =>
    JSON.stringify({ nodeId, outcome, files, checks, waivers, by: decision?.by }),
  );
  await run.close();
  const called = (await runtime.listRuns()).filter(({ record }) => record?.call).reverse();
  const texts = await Promise.all(
    called.map(async (address) => (await works.openState(address).read()).text),
  );
  /** `called`: state documents of all called runs in the store, in order of creation. */
  return { stop, state, called: texts, evidence };
}

/** Answers every question until the run stops for another reason. */
export async function answerAll({ engine }: OpenRun, first: StopPoint): Promise<StopPoint> {
  let stop = first;
  while (stop.reason?.code === 'question') {
    const { pending } = engine;
    const questions = pending?.kind === 'question' ? pending.questions : [];
    stop = await engine.answer(Object.fromEntries(questions.map(({ id }) => [id, `the ${id}`])));
  }
  return stop;
}

export async function openOrCreate(runtime: Runtime, pkg: string, projectPath: string): Promise<OpenRun> {
  try {
    return await runtime.openRun('last');
  } catch (error) {
    if (!(error instanceof CrewError) || error.code !== 'RUN_NOT_FOUND') throw error;
    return runtime.createWork({ package: pkg, projectPath, model: { model: 'rehearsal' } });
  }
}
