/** Works of all projects that wait for the user: conversations, runs without one, and left runs. Most recent first. Pure. */
import type { WorkSummary } from '@crewagent/protocol/api/work-messages';
import type { Story } from '@crewagent/protocol/story/story';
import { isWaiting } from '@crewagent/protocol/work-position';
import { nodeTitle } from '../run/shown-names.ts';
import { rewindTargets } from '../run/undo/to-rewind.ts';
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

export type StopPosition = ReturnType<typeof toStopPosition>;

/** Where a run stopped, as the inbox shows it. */
export function toStopPosition(view: Readonly<Story>) {
  const { pending, state } = view;
  return {
    title: nodeTitle(view, state.currentNodeId) || state.currentNodeId,
    files: state.artifacts.length,
    /** The prompt of its question. */
    question: pending?.kind === 'question' ? pending.questions[0]?.prompt : undefined,
    /** The file it wants to change. */
    change: pending?.kind === 'approval' ? pending.action.target : undefined,
    canGoBack: rewindTargets(view).length > 0,
  };
}
