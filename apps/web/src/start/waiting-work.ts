/** What waits for a person, of all projects: conversations, and runs that belong to none. The latest first. Pure. */
import type { WorkList, WorkSummary } from '@crewagent/protocol/api/work-messages';
import { isWaiting, rootsOf, runOf } from '../state/work-list.ts';

export interface WaitingWork {
  readonly work: WorkSummary;
  /** The run that it is, or is in. */
  readonly run: WorkSummary | undefined;
}

export function toWaitingWork(list: WorkList): readonly WaitingWork[] {
  return rootsOf(list)
    .filter((work) => work.archivedAt === undefined && isWaiting(work))
    .map((work) => ({ work, run: runOf(list, work) }));
}
