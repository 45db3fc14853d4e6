/**
 * A Work as it lies there, whichever process has it open: looked at without disturbing it, and asked to stop.
 */
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import type { RunEvent } from '@crewagent/protocol/events';
import type { RunRecord } from '@crewagent/protocol/run';
import { isRun, type WorkRecord } from '@crewagent/protocol/work';
import { addToWorkView, createWorkView, type WorkView } from '@crewagent/protocol/work-view';
import type { ConversationAddress, RunAddress, StoreLayout, WorkAddress } from '../store/disk/layout.ts';
import { type LogReading, readRunLog } from '../store/disk/run-log.ts';
import { requestStop } from '../store/disk/stop-request.ts';
import { isWorkLocked } from '../store/disk/work-lock.ts';
import { readWork } from '../store/disk/work-record.ts';

export interface WorkReport<Entry extends WorkRecord = WorkRecord> {
  readonly record: Entry;
  /** What its own log tells, and those of the runs it was in. */
  readonly view: WorkView;
  readonly log: LogReading;
  /** A process is at work on it. */
  readonly isOpen: boolean;
}

export async function showWork(store: StoreLayout, address: RunAddress): Promise<WorkReport<RunRecord>>;
export async function showWork(
  store: StoreLayout,
  address: ConversationAddress,
): Promise<WorkReport<ConversationRecord>>;
export async function showWork(store: StoreLayout, address: WorkAddress): Promise<WorkReport>;
export async function showWork(store: StoreLayout, address: WorkAddress): Promise<WorkReport> {
  const { projectId, workId } = address;
  const record = await readWork(store, address);
  const view = createWorkView(workId);
  const add = (event: RunEvent): void => addToWorkView(view, event);
  const log = await readLog(store, address, add);
  for (const runId of view.state.runIds) await readLog(store, { projectId, workId: runId, isRun: true }, add);
  return { record, view, log, isOpen: await isWorkLocked(store, address) };
}

/** Tells every event of its own log in order; the runs of a conversation have theirs. */
export async function readLog(
  store: StoreLayout,
  address: WorkAddress,
  onEvent: (event: RunEvent) => void,
): Promise<LogReading> {
  const { log, outputs } = store.work(address);
  return readRunLog(log, onEvent, { outputs });
}

/** Asks whichever process works on it, and on the run it is in; false when none does. */
export async function stopWork(store: StoreLayout, address: WorkAddress): Promise<boolean> {
  if (!(await isWorkLocked(store, address))) return false;
  const record = await readWork(store, address);
  await requestStop(store.work(address).stop);
  const { projectId } = address;
  const workId = isRun(record) ? undefined : record.activeRunId;
  const run = workId === undefined ? undefined : { projectId, workId, isRun: true };
  if (run && (await isWorkLocked(store, run))) await requestStop(store.work(run).stop);
  return true;
}
