/** What lists of Works say about one: whether it needs attention, runs, was stopped, or is done. Pure. */
import type { PhaseReason, RunPhase } from './run.ts';
import { type StatusKind, toStatus } from './status.ts';
import * as z from './zod.ts';

/** The status of a Work, as far as lists and screens know it. */
export interface WorkPosition {
  readonly phase: RunPhase;
  readonly reason?: PhaseReason | undefined;
  readonly activeRunId?: string | undefined;
  /** Set in the summary of a run. */
  readonly run?: unknown;
  /** Set in the view of a run. */
  readonly workflow?: unknown;
}

/**
 * It asks something, failed, was interrupted, or a limit or a problem paused it: counted in badges and titles, and listed first.
 * What a person stopped needs nobody. A run that stopped with a reply asks in its text; a thread that did is just ready.
 */
export function needsAttention(position: WorkPosition): boolean {
  const { kind } = toStatus(position);
  if (kind === 'reply') return position.reason !== undefined && isIncompleteRun(position);
  return NEEDS_ATTENTION.has(kind);
}

const NEEDS_ATTENTION: ReadonlySet<StatusKind> = new Set([
  'question',
  'approval',
  'failed',
  'interrupted',
  'limit',
  'problem',
]);

/** Only the user can continue it: it asks something, failed, was interrupted or is incomplete. A reply in a thread does not count. */
export function isWaiting(position: WorkPosition): boolean {
  const { kind } = toStatus(position);
  if (kind === 'running' || kind === 'completed') return false;
  return isIncompleteRun(position) || !QUIET.has(kind);
}

const QUIET: ReadonlySet<StatusKind> = new Set(['reply', 'stopped', 'rewound']);

/** The thread is ready for the next message; nothing is pending. */
export function isReady(position: WorkPosition): boolean {
  return toStatus(position).kind === 'reply' && !isIncompleteRun(position);
}

/** The run is registered and nothing has happened in it: who drives it has not begun. */
export function isNotStarted(position: WorkPosition): boolean {
  return position.phase === 'WaitingUser' && position.reason === undefined && isIncompleteRun(position);
}

/** An idle workflow is not at its end. */
function isIncompleteRun({ activeRunId, run, workflow }: WorkPosition): boolean {
  return (activeRunId ?? run ?? workflow) !== undefined;
}

/** The filters of a list of Works. */
export const workGroupSchema = z.enum(['waiting', 'running', 'stopped', 'done']);
export type WorkGroup = z.infer<typeof workGroupSchema>;

/** `waiting`: it needs attention; `stopped`: incomplete and idle for another reason. A thread that is ready is in no group. */
export function groupOf(position: WorkPosition): WorkGroup | undefined {
  const { isRunning, isCompleted } = toStatus(position);
  if (isRunning) return 'running';
  if (isCompleted) return 'done';
  if (needsAttention(position)) return 'waiting';
  return isReady(position) ? undefined : 'stopped';
}
