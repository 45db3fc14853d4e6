/** Everything a person has under way: conversations and runs of all projects, as the server tells of them. Pure. */

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

/** What a person opens: what belongs to nothing else. */
export function rootsOf({ works }: WorkList): readonly WorkSummary[] {
  return works.filter(({ parentId }) => parentId === undefined);
}

/** The run that a Work is, or is in. */
export function runOf({ works }: WorkList, work: WorkSummary): WorkSummary | undefined {
  return work.run ? work : works.find(({ workId }) => workId === work.activeRunId);
}

/** Runs of a conversation that were left half-way: each can be resumed. */
export function leftRunsOf(
  { works }: WorkList,
  { workId, run, activeRunId }: WorkSummary,
): readonly WorkSummary[] {
  if (run) return [];
  return works.filter(
    (child) => child.parentId === workId && child.workId !== activeRunId && isWaiting(child),
  );
}

/** What asks a person something, in any project: a question, or a change that needs approval. The latest first. */
export function askingOf(list: WorkList): readonly WorkSummary[] {
  return rootsOf(list).filter((work) => work.archivedAt === undefined && ASKING.has(toStatus(work).kind));
}

const ASKING: ReadonlySet<StatusKind> = new Set(['question', 'approval']);

/** What a Work asks: the file that it wants to change, or its question, as far as the list tells. */
export function askedOf({ phase, reason }: Pick<WorkPosition, 'phase' | 'reason'>): {
  readonly path?: string;
  readonly prompt?: string;
} {
  const { kind } = toStatus({ phase, reason });
  const { path, prompt } = reason?.details ?? {};
  if (kind === 'approval' && typeof path === 'string') return { path };
  return kind === 'question' && typeof prompt === 'string' ? { prompt } : {};
}

/** Where something is, as far as lists and screens know it. */
export interface WorkPosition extends Pick<WorkSummary, 'phase' | 'reason' | 'activeRunId' | 'run'> {
  /** Of the view of a run. */
  readonly workflow?: unknown;
}

/** A person can go on with it, and nobody else will: it asks, failed, was cut off, or is half-way. A reply in a talk waits for nobody. */
export function isWaiting(place: WorkPosition): boolean {
  const { kind } = toStatus(place);
  if (kind === 'running' || kind === 'completed') return false;
  return isHalfWay(place) || !QUIET.has(kind);
}

const QUIET: ReadonlySet<StatusKind> = new Set(['reply', 'stopped', 'rewound']);

/** The word for a status on every screen. Questions, failures, limits and stops have different words. */
export function shownPhase(place: WorkPosition): ShownPhase {
  const { kind } = toStatus(place);
  if (kind === 'interrupted') return 'CutOff';
  if (kind === 'stopped') return 'Stopped';
  if (kind === 'limit') return 'Limit';
  if (kind === 'problem') return 'Problem';
  // Nothing is asked for: the next word is the person's, whenever they like.
  return kind === 'reply' && !isHalfWay(place) ? 'Ready' : place.phase;
}

/** A workflow that rests is not at its end. */
function isHalfWay({ activeRunId, run, workflow }: WorkPosition): boolean {
  return (activeRunId ?? run ?? workflow) !== undefined;
}
