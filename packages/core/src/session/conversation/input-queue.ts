/**
 * Serialises the commands of an open conversation. Turns of the model run outside the queue; `stop` also prevents
 * turns that have not begun yet, and `close` waits for everything that was accepted.
 */
import { CrewError } from '../../base/crew-error.ts';
import { createQueue } from '../../base/queue.ts';
import type { StopPoint } from '../../engine/stop-point.ts';
import type { AcceptOptions, SessionStop } from '../session.ts';
import type { ActiveConversation } from './active-conversation.ts';

/** A turn that has begun; undefined if the command begins none. */
export type EngineRun = { readonly done: Promise<StopPoint> } | undefined;

/** Begins a turn, unless the person has stopped the conversation since the command was queued. */
export type Begin = (turn: () => Promise<StopPoint>) => EngineRun;

/** For input that means nothing without its turn: rejects it if the turn cannot begin. */
export function beginOrReject(begin: Begin, turn: () => Promise<StopPoint>): EngineRun {
  const begun = begin(turn);
  if (!begun)
    throw new CrewError(
      'RUN_NOT_READY',
      'The conversation was stopped before your input was processed. Send it again.',
    );
  return begun;
}

export type InputQueue = ReturnType<typeof createInputQueue>;

export function createInputQueue(current: ActiveConversation) {
  /** Work that opens and closes engines must not overlap. */
  const serialise = createQueue();
  let stops = 0;
  let isClosed = false;
  const settling = new Set<Promise<unknown>>();

  const settle = async (
    work: (begin: Begin) => Promise<EngineRun>,
    { onAccepted = () => undefined }: AcceptOptions,
  ): Promise<SessionStop> => {
    const stopsBefore = stops;
    const begin: Begin = (turn) => (stops === stopsBefore && !isClosed ? { done: turn() } : undefined);
    const begun = await serialise(() => work(begin));
    const announceAccepted = async (): Promise<void> => {
      await current.saveInput();
      // Saved now, so that lists show the active run during the turn.
      if (begun) await current.save();
      onAccepted(begun ? { mode: current.state().mode, phase: 'Running' } : current.state());
    };
    await Promise.all([begun?.done, announceAccepted()]);
    await current.save();
    return current.state();
  };
  const cancel = (): void => {
    stops++;
  };
  const stop = async (): Promise<SessionStop> => {
    cancel();
    await current.stop();
    return current.state();
  };

  return {
    /** Runs `work` when its turn in the queue comes, then waits for the model outside the queue. */
    async enqueue(
      work: (begin: Begin) => Promise<EngineRun>,
      options: AcceptOptions = {},
    ): Promise<SessionStop> {
      if (isClosed) throw new CrewError('RUN_NOT_READY', 'The conversation is closed.');
      const settled = settle(work, options);
      settling.add(settled);
      try {
        return await settled;
      } finally {
        settling.delete(settled);
      }
    },
    /** Prevents turns that have not begun yet. */
    cancel,
    stop,
    /** Rejects further commands and resolves when all accepted ones have settled. */
    async close(): Promise<void> {
      isClosed = true;
      await stop();
      await Promise.allSettled(settling);
    },
  };
}
