/** Works of all projects that wait for the user: conversations, runs without one, and left runs. Most recent first. Pure. */
import type { WorkSummary } from '@crewagent/protocol/api/work-messages';
import { isWaiting } from '@crewagent/protocol/work-position';
import { type KnownWorks, leftRunsOf, rootsOf, runOf } from '../state/work-list.ts';

export interface WaitingWork {
  readonly work: WorkSummary;
  /** The run that it is, or its active run. */
  readonly run: WorkSummary | undefined;
}

export function toWaitingWork(list: KnownWorks): readonly WaitingWork[] {
  const roots = rootsOf(list).filter(({ archivedAt }) => archivedAt === undefined);
  const waiting = roots.filter(isWaiting).map((work) => ({ work, run: runOf(list, work) }));
  const left = roots.flatMap((work) => leftRunsOf(list, work)).map((run) => ({ work: run, run }));
  return [...waiting, ...left].sort((a, b) => b.work.updatedAt.localeCompare(a.work.updatedAt));
}

/** How many entries the inbox has. */
export function waitingCount(list: KnownWorks): number {
  const { counts, next } = list;
  return next === undefined || !counts ? toWaitingWork(list).length : counts.waiting;
}
