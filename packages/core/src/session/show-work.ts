/**
 * Reads a Work that any process may have open, without a lock, and requests its stop.
 */

import type { ConversationRecord } from '@crewagent/protocol/conversation';
import type { RunEvent } from '@crewagent/protocol/events';
import type { RunRecord } from '@crewagent/protocol/run';
import type { Story } from '@crewagent/protocol/story/story';
import { addToWorkStory, createWorkStory, type WorkStory } from '@crewagent/protocol/story/work-story';
import type { WorkRecord } from '@crewagent/protocol/work';
import type { Store } from '../store/store.ts';
import {
  type ConversationAddress,
  type RunAddress,
  runBeside,
  type WorkAddress,
} from '../store/work-address.ts';
import type { LogReading } from '../store/work-store.ts';

export interface WorkReport<Entry extends WorkRecord = WorkRecord> {
  readonly record: Entry;
  /** Folded from its own log and the logs of its runs. */
  readonly view: WorkStory;
  readonly log: LogReading;
  /** Whether a process has it open. */
  readonly isOpen: boolean;
}

export async function showWork(store: Store, address: RunAddress): Promise<WorkReport<RunRecord>>;
export async function showWork(
  store: Store,
  address: ConversationAddress,
): Promise<WorkReport<ConversationRecord>>;
export async function showWork(store: Store, address: WorkAddress): Promise<WorkReport>;
export async function showWork(store: Store, address: WorkAddress): Promise<WorkReport> {
  const record = await store.works.read(address);
  const view = createWorkStory(address.workId);
  const add = (event: RunEvent): void => addToWorkStory(view, event);
  const log = await store.works.readLog(address, add);
  const readRun = async (runId: string): Promise<void> => {
    await store.works.readLog(runBeside(address, runId), add);
    await readCalled(view.runs.get(runId));
  };
  const readCalled = async (caller: Story | undefined): Promise<void> => {
    for (const { childId } of caller?.calls ?? []) await readRun(childId);
  };
  await readCalled(view.own);
  for (const runId of view.state.runIds) await readRun(runId);
  return { record, view, log, isOpen: await store.works.isLeased(address) };
}

/** Requests a stop of the Work and of its active run; false if no process has it open. */
export async function stopWork(store: Store, address: WorkAddress): Promise<boolean> {
  if (!(await store.works.isLeased(address))) return false;
  const { activeRunId } = await store.works.read(address);
  await store.works.requestStop(address);
  const run = activeRunId === undefined ? undefined : runBeside(address, activeRunId);
  if (run && (await store.works.isLeased(run))) await store.works.requestStop(run);
  return true;
}
