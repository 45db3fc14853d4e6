/** At which points of its log a run can be forked. */
import type { EventOf, RunEvent } from './events.ts';
import { nonEmptySchema, positiveCountSchema } from './scalars.ts';
import * as z from './zod.ts';

/** Where a person forks: a visit of a node, by default the last one, or the visit that an event belongs to. */
export const forkAtSchema = z.union([
  z.strictObject({ nodeId: nonEmptySchema, visit: z.optional(positiveCountSchema) }),
  z.strictObject({ seq: positiveCountSchema }),
]);
export type ForkAt = z.infer<typeof forkAtSchema>;

/** A visit of a node, before anything has happened in it. */
export interface ForkPoint {
  readonly nodeId: string;
  readonly visit: number;
  /** Number of the event at which the run arrived, and of the last one before the visit's own. */
  readonly arrivedSeq: number;
  readonly seq: number;
  /** The questions of the visit: each is a point itself, at which the run waits for another answer. */
  readonly questions: readonly AskedQuestion[];
}

export type AskedQuestion = Pick<EventOf<'question.asked'>, 'seq' | 'callId' | 'questions'>;

/**
 * Events are added in order. A visit begins when the reply that led to it has ended: its other calls belong to the step that made
 * them.
 */
export class ForkPoints {
  readonly #points: (ForkPoint & { seq: number; readonly questions: AskedQuestion[] })[] = [];
  readonly #visits = new Map<string, number>();
  /** Calls of the last reply without a result. */
  readonly #open = new Set<string>();
  #hasBegun = false;
  /** What the visit is given before it begins. */
  #isGiven = false;

  get list(): readonly ForkPoint[] {
    return this.#points;
  }

  add(event: RunEvent): void {
    const { seq } = event;
    const point = this.#points.at(-1);
    const nodeId = arrivedAt(event);
    if (event.type === 'message.completed' && event.purpose === 'reply') {
      this.#open.clear();
      for (const { id } of event.toolCalls ?? []) this.#open.add(id);
    }
    if (event.type === 'turn.started' || event.type === 'call.started') this.#hasBegun = true;
    if (point && nodeId === undefined && !this.#hasBegun) {
      this.#isGiven = event.type === 'work.forked' || (this.#isGiven && GIVEN.has(event.type));
      if (this.#isGiven || this.#open.size > 0) point.seq = seq;
    }
    if (event.type === 'tool.ended') this.#open.delete(event.callId);
    if (event.type === 'question.asked') {
      const { callId, questions } = event;
      point?.questions.push({ seq, callId, questions });
    }
    if (nodeId !== undefined) this.#arrive(nodeId, event);
  }

  #arrive(nodeId: string, { seq, type }: RunEvent): void {
    const visit = (this.#visits.get(nodeId) ?? 0) + 1;
    this.#visits.set(nodeId, visit);
    this.#points.push({ nodeId, visit, arrivedSeq: seq, seq, questions: [] });
    this.#hasBegun = false;
    this.#isGiven = type === 'run.created';
  }
}

/** Of a run that has not started, and of a fork. */
const GIVEN: ReadonlySet<RunEvent['type']> = new Set(['input.queued', 'errands.queued', 'state.changed']);

function arrivedAt(event: RunEvent): string | undefined {
  if (event.type === 'run.created') return event.entryNodeId;
  if (event.type !== 'state.changed') return undefined;
  return event.from !== event.to || event.isRewind ? event.to : undefined;
}

/** The point that a person means; undefined if the run was never there. */
export function findForkPoint(points: readonly ForkPoint[], at: ForkAt): ForkPoint | undefined {
  if ('seq' in at) return points.findLast(({ arrivedSeq }) => arrivedSeq <= at.seq);
  return points.findLast(
    ({ nodeId, visit }) => nodeId === at.nodeId && (at.visit === undefined || visit === at.visit),
  );
}
