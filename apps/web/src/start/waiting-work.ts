/** What waits for a person, of all projects: conversations, runs that belong to none, and runs that were left. The latest first. Pure. */
import type { WorkList, WorkSummary } from '@crewagent/protocol/api/work-messages';
import { isWaiting, leftRunsOf, rootsOf, runOf } from '../state/work-list.ts';

export interface WaitingWork {
  readonly work: WorkSummary;
  /** The run that it is, or is in. */
  readonly run: WorkSummary | undefined;
}

export function toWaitingWork(list: WorkList): readonly WaitingWork[] {
  const roots = rootsOf(list).filter(({ archivedAt }) => archivedAt === undefined);
  const waiting = roots.filter(isWaiting).map((work) => ({ work, run: runOf(list, work) }));
  const left = roots.flatMap((work) => leftRunsOf(list, work)).map((run) => ({ work: run, run }));
  return [...waiting, ...left].sort((a, b) => b.work.updatedAt.localeCompare(a.work.updatedAt));
}
