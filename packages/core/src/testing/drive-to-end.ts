/**
 * Starts or resumes a run with the rehearsal model and completes it, answering every question.
 */

import { readFileSync } from 'node:fs';
import type { RunEvent } from '@crewagent/protocol/events';
import { CrewError } from '../base/crew-error.ts';
import type { StopPoint } from '../engine/stop-point.ts';
import type { Runtime } from '../runtime.ts';
import type { OpenRun } from '../session/open-run.ts';
import { createStoreLayout } from '../store/disk/layout.ts';
import { toAddress } from '../store/work-address.ts';

export interface DrivenEnd {
  readonly stop: StopPoint;
  /** Text of the state document. */
  readonly state: string;
}

/** `onEvent` gets the events from now on. */
export async function driveToEnd(
  runtime: Runtime,
  pkg: string,
  projectPath: string,
  onEvent: (event: RunEvent) => void = () => undefined,
): Promise<DrivenEnd> {
  const run = await openOrCreate(runtime, pkg, projectPath);
  run.engine.subscribe(onEvent);
  const isNew = run.engine.memory.turn === 0 && run.engine.memory.phase === 'WaitingUser';
  let stop = await (isNew ? run.engine.start() : run.engine.resume());
  while (stop.reason?.code === 'question') {
    const { pending } = run.engine.memory;
    const questions = pending?.kind === 'question' ? pending.questions : [];
    stop = await run.engine.answer(Object.fromEntries(questions.map(({ id }) => [id, `the ${id}`])));
  }
  const state = readFileSync(
    createStoreLayout(runtime.store.root).work(toAddress(run.record)).stateDocument,
    'utf8',
  );
  await run.close();
  return { stop, state };
}

async function openOrCreate(runtime: Runtime, pkg: string, projectPath: string): Promise<OpenRun> {
  try {
    return await runtime.openRun('last');
  } catch (error) {
    if (!(error instanceof CrewError) || error.code !== 'RUN_NOT_FOUND') throw error;
    return runtime.createRun({ package: pkg, projectPath, model: { model: 'rehearsal' } });
  }
}
