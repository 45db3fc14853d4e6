/**
 * Runs and conversations that were left in the middle: their record says Running and no process holds their lock. Each is
 * brought to a stop it can be resumed from.
 */
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import type { PhaseReason, RunPhase, RunRecord } from '@crewagent/protocol/run';
import { CrewError } from '../base/crew-error.ts';
import { sweepTempFiles } from '../base/staging.ts';
import {
  readConversationRecord,
  takeConversationLock,
  updateConversationRecord,
} from './conversation-store.ts';
import { listConversations } from './find-conversations.ts';
import { listRuns } from './find-runs.ts';
import type { RunAddress, StoreLayout } from './layout.ts';
import { type RunLock, takeRunLock } from './run-lock.ts';
import { openRunLog } from './run-log.ts';
import { readRunRecord, writeRunRecord } from './run-store.ts';
import { sweepStagedFolders } from './staged-folder.ts';

export interface SweepOptions {
  readonly now: () => Date;
  /** Told of a run or conversation that could not be looked after; it is found again next time. */
  readonly onProblem?: (id: string, error: CrewError) => void;
}

/** Answers with the runs it found. */
export async function sweepInterrupted(store: StoreLayout, options: SweepOptions): Promise<RunRecord[]> {
  const runs = await listRuns(store);
  await sweepFolders(runs, (projectId) => store.runsFolder(projectId));
  const left = runs.filter(({ record }) => record?.phase === 'Running');
  return sweepEach(left, options, (address) => toLeftRun(store, address, options.now));
}

/** The same for one run. Nothing happens where it is in other hands, or gone. */
export async function settleInterrupted(
  store: StoreLayout,
  address: RunAddress,
  options: SweepOptions,
): Promise<void> {
  await sweepEach([address], options, (run) => toLeftRun(store, run, options.now));
}

function toLeftRun(store: StoreLayout, { projectId, runId }: RunAddress, now: () => Date): Left<RunRecord> {
  const address = { projectId, runId };
  const { folder, log, lock } = store.run(address);
  return {
    id: runId,
    folder,
    log: { file: log },
    reason: interruptionOf('run'),
    lock: () => takeRunLock(lock),
    read: () => readRunRecord(store, address),
    async save(record, { phase, reason }) {
      const settled = { ...withPhase(record, phase, reason), updatedAt: now().toISOString() };
      await writeRunRecord(store, settled);
      return settled;
    },
  };
}

/** The same for conversations. When something was last said in one stays as it was. */
export async function sweepInterruptedConversations(
  store: StoreLayout,
  options: SweepOptions,
): Promise<ConversationRecord[]> {
  const lists = [await listConversations(store), await listConversations(store, { isArchived: true })];
  const conversations = lists.flat();
  await sweepFolders(conversations, (projectId) => store.conversationsFolder(projectId));
  const left = conversations.filter(({ record }) => record?.phase === 'Running');
  return sweepEach(left, options, ({ projectId, conversationId }) => {
    const address = { projectId, conversationId };
    const { folder, log, outputs } = store.conversation(address);
    return {
      id: conversationId,
      folder,
      log: { file: log, outputs },
      reason: interruptionOf('conversation'),
      lock: () => takeConversationLock(store, address),
      read: () => readConversationRecord(store, address),
      save: (_, { phase, reason }) =>
        updateConversationRecord(store, address, (record) => withPhase(record, phase, reason)),
    };
  });
}

async function sweepFolders(
  found: readonly { readonly projectId: string }[],
  folderOf: (projectId: string) => string,
): Promise<void> {
  for (const projectId of new Set(found.map((one) => one.projectId))) {
    await sweepStagedFolders(folderOf(projectId));
  }
}

function interruptionOf(noun: 'run' | 'conversation'): PhaseReason {
  return {
    code: 'interrupted',
    message: `The process that worked on this ${noun} ended in the middle of it.`,
  };
}

interface Phased {
  readonly phase: RunPhase;
  readonly reason?: PhaseReason | undefined;
}

function withPhase<Entry extends Phased>(entry: Entry, phase: RunPhase, reason: PhaseReason | undefined) {
  const { reason: _, ...rest } = entry;
  return { ...rest, phase, ...(reason ? { reason } : {}) };
}

/** What was left in the middle, as far as it is brought to a stop here. */
interface Left<Entry> {
  readonly id: string;
  readonly folder: string;
  readonly log: { readonly file: string; readonly outputs?: string };
  readonly reason: PhaseReason;
  lock(): Promise<RunLock>;
  read(): Promise<Entry>;
  save(entry: Entry, stop: Stop): Promise<Entry>;
}

async function sweepEach<Found, Entry extends Phased>(
  found: readonly Found[],
  { now, onProblem = () => undefined }: SweepOptions,
  toLeft: (one: Found) => Left<Entry>,
): Promise<Entry[]> {
  const interrupted: Entry[] = [];
  for (const left of found.map(toLeft)) {
    try {
      const entry = await interrupt(left, now);
      if (entry) interrupted.push(entry);
    } catch (error) {
      if (!(error instanceof CrewError)) throw error;
      if (!IN_OTHER_HANDS.has(error.code)) onProblem(left.id, error);
    }
  }
  return interrupted;
}

const IN_OTHER_HANDS: ReadonlySet<string> = new Set([
  'RUN_LOCKED',
  'RUN_NOT_FOUND',
  'CONVERSATION_NOT_FOUND',
]);

/** Undefined when there was nothing to tell: it stopped in the meantime, or only the record did not know of its stop. */
async function interrupt<Entry extends Phased>(
  left: Left<Entry>,
  now: () => Date,
): Promise<Entry | undefined> {
  const lock = await left.lock();
  try {
    const entry = await left.read();
    if (entry.phase !== 'Running') return undefined;
    await sweepTempFiles(left.folder, { isDeep: false });
    const stop = await settleLog(left, now);
    const settled = await left.save(entry, stop);
    return stop.isNew ? settled : undefined;
  } finally {
    await lock.release();
  }
}

interface Stop extends Phased {
  /** The log had to be told. */
  readonly isNew: boolean;
}

/** The log is written before the record: where it ends in a stop, that one counts. */
async function settleLog<Entry>({ id, log: parts, reason }: Left<Entry>, now: () => Date): Promise<Stop> {
  let last: Stop | undefined;
  const log = await openRunLog({
    ...parts,
    runId: id,
    now,
    onEvent(event) {
      if (event.type === 'phase.changed') last = { phase: event.phase, reason: event.reason, isNew: false };
      else if (event.type === 'run.resumed') last = undefined;
    },
  });
  try {
    if (last && last.phase !== 'Running') return last;
    log.append({ type: 'phase.changed', phase: 'WaitingUser', reason });
    await log.sync();
    return { phase: 'WaitingUser', reason, isNew: true };
  } finally {
    await log.close();
  }
}
