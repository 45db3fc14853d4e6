/** All Works of all projects, as the server lists them. Pure. */

import type { ListMessage, WorkList, WorkSummary } from '@crewagent/protocol/api/work-messages';
import { type StatusKind, toStatus } from '@crewagent/protocol/status';
import type { ShownPhase } from '../ui/phase-pill.tsx';

export function addListMessage(list: WorkList | undefined, message: ListMessage): WorkList {
  if (message.type === 'snapshot') return message.data;
  const { works, damaged } = list ?? { works: [], damaged: [] };
  const others = works.filter(({ workId }) => workId !== message.data.workId);
  if (message.type === 'work.removed') return { works: others, damaged };
  return { works: [message.data, ...others].sort(byLastChange), damaged };
}

function byLastChange(one: WorkSummary, other: WorkSummary): number {
  return other.updatedAt.localeCompare(one.updatedAt);
}

/** The Works a person opens: those without a parent. */
export function rootsOf({ works }: WorkList): readonly WorkSummary[] {
  return works.filter(({ parentId }) => parentId === undefined);
}

/** The run that this Work is, or its active run. */
export function runOf({ works }: WorkList, work: WorkSummary): WorkSummary | undefined {
  return work.run ? work : works.find(({ workId }) => workId === work.activeRunId);
}

/** Left runs of a conversation: each can be resumed. */
export function leftRunsOf(
  { works }: WorkList,
  { workId, run, activeRunId }: WorkSummary,
): readonly WorkSummary[] {
  if (run) return [];
  return works.filter(
    (child) => child.parentId === workId && child.workId !== activeRunId && isWaiting(child),
  );
}

/** Works of any project that ask the user something: the number on the rail, in the tab and above the inbox. Most recent first. */
export function askingOf(list: WorkList): readonly WorkSummary[] {
  return rootsOf(list).filter((work) => work.archivedAt === undefined && isAsking(work));
}

/** A run that stopped with a reply asks in its text; a thread that did is just ready. */
function isAsking(work: WorkSummary): boolean {
  const { kind, isAsking: asks } = toStatus(work);
  return kind === 'reply' ? work.reason !== undefined && isIncompleteRun(work) : asks;
}

/** The path that needs approval, or the prompt of the question, as far as the list contains it. */
export function askedOf({ phase, reason }: Pick<WorkPosition, 'phase' | 'reason'>): {
  readonly path?: string;
  readonly prompt?: string;
} {
  const { kind } = toStatus({ phase, reason });
  const { path, prompt } = reason?.details ?? {};
  if (kind === 'approval' && typeof path === 'string') return { path };
  return kind === 'question' && typeof prompt === 'string' ? { prompt } : {};
}

/** The status of a Work, as far as lists and screens know it. */
export interface WorkPosition extends Pick<WorkSummary, 'phase' | 'reason' | 'activeRunId' | 'run'> {
  /** Set in the view of a run. */
  readonly workflow?: unknown;
}

/** Only the user can continue it: it asks something, failed, was interrupted or is incomplete. A reply in a thread does not count. */
export function isWaiting(position: WorkPosition): boolean {
  const { kind } = toStatus(position);
  if (kind === 'running' || kind === 'completed') return false;
  return isIncompleteRun(position) || !QUIET.has(kind);
}

const QUIET: ReadonlySet<StatusKind> = new Set(['reply', 'stopped', 'rewound']);

/** The status label on every screen. Questions, failures, limits and stops have labels of their own. */
export function shownPhase(position: WorkPosition): ShownPhase {
  const { kind } = toStatus(position);
  if (kind === 'interrupted') return 'CutOff';
  if (kind === 'stopped') return 'Stopped';
  if (kind === 'limit') return 'Limit';
  if (kind === 'problem') return 'Problem';
  // The thread is ready for the next message; nothing is pending.
  return kind === 'reply' && !isIncompleteRun(position) ? 'Ready' : position.phase;
}

/** An idle workflow is not at its end. */
function isIncompleteRun({ activeRunId, run, workflow }: WorkPosition): boolean {
  return (activeRunId ?? run ?? workflow) !== undefined;
}
