/**
 * Runs and conversations that were left in the middle: their record says Running and no process holds their lock. Each is
 * brought to a stop it can be resumed from.
 */
import type { PhaseReason, RunPhase } from '@crewagent/protocol/run';
import { isRun, type WorkRecord } from '@crewagent/protocol/work';
import { CrewError } from '../../base/crew-error.ts';
import { sweepTempFiles } from '../../base/staging.ts';
import { listWorks } from './find-works.ts';
import type { StoreLayout, WorkAddress } from './layout.ts';
import { openRunLog } from './run-log.ts';
import { sweepStagedFolders } from './staged-folder.ts';
import { takeWorkLock } from './work-lock.ts';
import { nounOf, readWork, updateWork, withPhase } from './work-record.ts';

export interface SweepOptions {
  readonly now: () => Date;
  /** Told of a run or conversation that could not be looked after; it is found again next time. */
  readonly onProblem?: (id: string, error: CrewError) => void;
}

/** Returns what it found. */
export async function sweepInterrupted(store: StoreLayout, options: SweepOptions): Promise<WorkRecord[]> {
  const works = await listWorks(store);
  const folders = works.map(({ projectId, isRun: isRunFolder }) => store.worksFolder(projectId, isRunFolder));
  for (const folder of new Set(folders)) await sweepStagedFolders(folder);
  const interrupted: WorkRecord[] = [];
  for (const { projectId, workId, isRun: isRunFolder, record } of works) {
    if (record?.phase !== 'Running') continue;
    const settled = await settleInterrupted(store, { projectId, workId, isRun: isRunFolder }, options);
    if (settled) interrupted.push(settled);
  }
  return interrupted;
}

const IN_OTHER_HANDS: ReadonlySet<string> = new Set([
  'RUN_LOCKED',
  'RUN_NOT_FOUND',
  'CONVERSATION_NOT_FOUND',
]);

/** The same for one. Nothing happens where it is in other hands, or gone. */
export async function settleInterrupted(
  store: StoreLayout,
  address: WorkAddress,
  { now, onProblem = () => undefined }: SweepOptions,
): Promise<WorkRecord | undefined> {
  try {
    return await interrupt(store, address, now);
  } catch (error) {
    if (!(error instanceof CrewError)) throw error;
    if (!IN_OTHER_HANDS.has(error.code)) onProblem(address.workId, error);
    return undefined;
  }
}

/** Undefined when there was nothing to tell: it stopped in the meantime, or only the record did not know of its stop. */
async function interrupt(
  store: StoreLayout,
  address: WorkAddress,
  now: () => Date,
): Promise<WorkRecord | undefined> {
  const lock = await takeWorkLock(store, address);
  try {
    if ((await readWork(store, address)).phase !== 'Running') return undefined;
    await sweepTempFiles(store.work(address).folder, { isDeep: false });
    const { isNew, phase, reason } = await settleLog(store, address, now);
    const settled = await updateWork(store, address, (record) => ({
      ...withPhase(record, phase, reason),
      // When something was last said in a conversation stays as it was.
      ...(isRun(record) ? { updatedAt: now().toISOString() } : {}),
    }));
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
async function settleLog(store: StoreLayout, address: WorkAddress, now: () => Date): Promise<Stop> {
  const { log: file, outputs } = store.work(address);
  let last: Stop | undefined;
  const log = await openRunLog({
    file,
    outputs,
    runId: address.workId,
    now,
    onEvent(event) {
      if (event.type === 'phase.changed') last = { phase: event.phase, reason: event.reason, isNew: false };
      else if (event.type === 'run.resumed') last = undefined;
    },
  });
  try {
    if (last && last.phase !== 'Running') return last;
    const reason = interruptionOf(address);
    log.append({ type: 'phase.changed', phase: 'WaitingUser', reason });
    await log.sync();
    return { phase: 'WaitingUser', reason, isNew: true };
  } finally {
    await log.close();
  }
}

export function interruptionOf(address: Pick<WorkAddress, 'isRun'>): PhaseReason {
  return {
    code: 'interrupted',
    message: `The process that worked on this ${nounOf(address)} ended in the middle of it.`,
  };
}
