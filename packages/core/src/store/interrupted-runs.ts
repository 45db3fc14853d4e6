/**
 * Runs that were left in the middle: their record says Running and no process holds their lock. Each is brought to a stop
 * it can be resumed from.
 */
import type { PhaseReason, RunPhase, RunRecord } from '@crewagent/protocol/run';
import { CrewError } from '../base/crew-error.ts';
import { sweepTempFiles } from '../base/staging.ts';
import { listRuns } from './find-runs.ts';
import type { RunAddress, RunPaths, StoreLayout } from './layout.ts';
import { takeRunLock } from './run-lock.ts';
import { openRunLog } from './run-log.ts';
import { readRunRecord, sweepRunStaging, writeRunRecord } from './run-store.ts';

export interface SweepOptions {
  readonly now: () => Date;
  /** Told of a run that could not be looked after; it is found again next time. */
  readonly onProblem?: (runId: string, error: CrewError) => void;
}

const REASON: PhaseReason = {
  code: 'interrupted',
  message: 'The process that worked on this run ended in the middle of it.',
};

/** Answers with the runs it found. */
export async function sweepInterrupted(
  store: StoreLayout,
  { now, onProblem = () => undefined }: SweepOptions,
): Promise<RunRecord[]> {
  const interrupted: RunRecord[] = [];
  const runs = await listRuns(store);
  for (const projectId of new Set(runs.map((run) => run.projectId))) {
    await sweepRunStaging(store.runsFolder(projectId));
  }
  for (const run of runs) {
    if (run.record?.phase !== 'Running') continue;
    try {
      const record = await interrupt(store, run, now);
      if (record) interrupted.push(record);
    } catch (error) {
      if (!(error instanceof CrewError)) throw error;
      if (error.code === 'RUN_LOCKED' || error.code === 'RUN_NOT_FOUND') continue;
      onProblem(run.runId, error);
    }
  }
  return interrupted;
}

/** Undefined when there was nothing to tell: it stopped in the meantime, or only the record did not know of its stop. */
async function interrupt(
  store: StoreLayout,
  address: RunAddress,
  now: () => Date,
): Promise<RunRecord | undefined> {
  const paths = store.run(address);
  const lock = await takeRunLock(paths.lock);
  try {
    const record = await readRunRecord(store, address);
    if (record.phase !== 'Running') return undefined;
    await sweepTempFiles(paths.folder, { isDeep: false });
    const { phase, reason, isNew } = await settleLog(paths, record.runId, now);
    const { reason: _, ...rest } = record;
    const settled = { ...rest, phase, ...(reason ? { reason } : {}), updatedAt: now().toISOString() };
    await writeRunRecord(store, settled);
    return isNew ? settled : undefined;
  } finally {
    await lock.release();
  }
}

interface Stop {
  readonly phase: RunPhase;
  readonly reason?: PhaseReason | undefined;
  /** The log had to be told. */
  readonly isNew: boolean;
}

/** The log is written before the record: where it ends in a stop, that one counts. */
async function settleLog(paths: RunPaths, runId: string, now: () => Date): Promise<Stop> {
  let last: Stop | undefined;
  const log = await openRunLog({
    file: paths.log,
    runId,
    now,
    onEvent(event) {
      if (event.type === 'phase.changed') last = { phase: event.phase, reason: event.reason, isNew: false };
      else if (event.type === 'run.resumed') last = undefined;
    },
  });
  try {
    if (last && last.phase !== 'Running') return last;
    log.append({ type: 'phase.changed', phase: 'WaitingUser', reason: REASON });
    await log.sync();
    return { phase: 'WaitingUser', reason: REASON, isNew: true };
  } finally {
    await log.close();
  }
}
