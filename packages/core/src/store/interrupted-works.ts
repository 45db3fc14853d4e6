/**
 * Works whose process died: the record says Running, but nobody holds the lease. Their phase is set to a stop that they can
 * be resumed from.
 */
import type { PhaseReason, RunPhase } from '@crewagent/protocol/run';
import type { WorkRecord } from '@crewagent/protocol/work';
import { CrewError, ifPossible } from '../base/crew-error.ts';
import { runBeside, toAddress, type WorkAddress } from './work-address.ts';
import { nounOf, withPhase } from './work-records.ts';
import type { ListedWork, WorkStore } from './work-store.ts';

export interface SweepOptions {
  readonly now: () => Date;
  /** Called for a Work that could not be settled; the next sweep tries again. */
  readonly onProblem?: (id: string, error: CrewError) => void;
}

/** Returns the Works that were interrupted. */
export async function sweepInterrupted(works: WorkStore, options: SweepOptions): Promise<WorkRecord[]> {
  await works.sweep();
  const interrupted: WorkRecord[] = [];
  for (const { record } of await works.list()) {
    if (record?.phase !== 'Running') continue;
    const settled = await settleInterrupted(works, toAddress(record), options);
    if (settled) interrupted.push(settled);
  }
  return interrupted;
}

/** Listed Works, with the records of those that were interrupted as they are now. */
export async function settleListed<Listed extends ListedWork>(
  works: WorkStore,
  listed: readonly Listed[],
  options: SweepOptions,
): Promise<Listed[]> {
  const settled: Listed[] = [];
  for (const work of listed) {
    const isRunning = work.record?.phase === 'Running';
    if (isRunning) await settleInterrupted(works, work, options);
    const record = (isRunning ? await ifPossible(works.read(work)) : undefined) ?? work.record;
    settled.push({ ...work, record });
  }
  return settled;
}

/** Settles one Work with its active run and the runs that it called, before it is shown or opened. */
export async function settleWork(
  works: WorkStore,
  address: WorkAddress,
  options: SweepOptions,
): Promise<void> {
  const record = await ifPossible(works.read(address));
  if (record?.activeRunId !== undefined)
    await settleWork(works, runBeside(address, record.activeRunId), options);
  if (record?.phase !== 'Running' || !(await settleInterrupted(works, address, options))) return;
  for (const child of await works.children(address)) await settleWork(works, child, options);
}

const NOT_OURS: ReadonlySet<string> = new Set(['RUN_LOCKED', 'RUN_NOT_FOUND', 'CONVERSATION_NOT_FOUND']);

/** `sweepInterrupted` for one Work. No-op if the Work is leased or deleted. */
export async function settleInterrupted(
  works: WorkStore,
  address: WorkAddress,
  { now, onProblem = () => undefined }: SweepOptions,
): Promise<WorkRecord | undefined> {
  try {
    return await interrupt(works, address, now);
  } catch (error) {
    if (!(error instanceof CrewError)) throw error;
    if (!NOT_OURS.has(error.code)) onProblem(address.workId, error);
    return undefined;
  }
}

/** Undefined if the Work has stopped in the meantime, or if only its record was out of date. */
async function interrupt(
  works: WorkStore,
  address: WorkAddress,
  now: () => Date,
): Promise<WorkRecord | undefined> {
  const lease = await works.lease(address);
  try {
    if ((await works.read(address)).phase !== 'Running') return undefined;
    await works.tidy(address);
    const { isNew, phase, reason } = await settleLog(works, address, now);
    const settled = await works.update(address, (record: WorkRecord) => ({
      ...withPhase(record, phase, reason),
      // `updatedAt` of a conversation is the time of its last message.
      ...(record.workflowRef === undefined ? {} : { updatedAt: now().toISOString() }),
    }));
    return isNew ? settled : undefined;
  } finally {
    await lease.release();
  }
}

interface Stop {
  readonly phase: RunPhase;
  readonly reason?: PhaseReason | undefined;
  /** The stop was missing and has been added to the log. */
  readonly isNew: boolean;
}

/** The log is written before the record, so a stop at its end is authoritative. */
async function settleLog(works: WorkStore, address: WorkAddress, now: () => Date): Promise<Stop> {
  let last: Stop | undefined;
  const log = await works.openLog(address, {
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

export function interruptionOf(address: WorkAddress): PhaseReason {
  return {
    code: 'interrupted',
    message: `The process that worked on this ${nounOf(address)} ended in the middle of it.`,
  };
}
