/**
 * Who may do what when in an open conversation: commands are understood one after the other, turns of a model go on
 * meanwhile, a stop reaches also what is only about to begin, and closing waits for what is left.
 */
import { CrewError } from '../base/crew-error.ts';
import type { StopPoint } from '../engine/stop-point.ts';
import type { ActiveConversation } from './active-conversation.ts';
import type { SessionStop, TakeOptions } from './session.ts';

/** A turn that was begun; undefined where a command begins none. */
export type EngineRun = { readonly going: Promise<StopPoint> } | undefined;

/** Begins a turn, unless the person has stopped everything since they asked for it. */
export type Begin = (turn: () => Promise<StopPoint>) => EngineRun;

/** The same for what is worth nothing without its turn: it is refused, and can be said again. */
export function beginOrRefuse(begin: Begin, turn: () => Promise<StopPoint>): EngineRun {
  const runUntilIdle = begin(turn);
  if (!runUntilIdle)
    throw new CrewError('RUN_NOT_READY', 'It was stopped before this was taken; say it again.');
  return runUntilIdle;
}

export interface TurnTaking {
  /** Has something understood in its turn, and waits for the model outside of it. */
  take(work: (begin: Begin) => Promise<EngineRun>, options?: TakeOptions): Promise<SessionStop>;
  stop(): Promise<SessionStop>;
  /** Nothing is taken any more; resolves when all that was taken is settled. */
  end(): Promise<void>;
}

export function createTurnTaking(current: ActiveConversation): TurnTaking {
  let last: Promise<unknown> = Promise.resolve();
  let stops = 0;
  let isOver = false;
  const settling = new Set<Promise<unknown>>();

  /** What opens and closes things must not meet. */
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = last.then(work, work);
    last = result.catch(() => undefined);
    return result;
  };
  const settle = async (
    work: (begin: Begin) => Promise<EngineRun>,
    { onAccepted = () => undefined }: TakeOptions,
  ): Promise<SessionStop> => {
    const stopsBefore = stops;
    const begin: Begin = (turn) => (stops === stopsBefore && !isOver ? { going: turn() } : undefined);
    const runUntilIdle = await inTurn(() => work(begin));
    const announceAccepted = async (): Promise<void> => {
      await current.saveInput();
      // A list shows what one is in while the turn goes on.
      if (runUntilIdle) await current.save();
      onAccepted(runUntilIdle ? { mode: current.rest().mode, phase: 'Running' } : current.rest());
    };
    await Promise.all([runUntilIdle?.going, announceAccepted()]);
    await current.save();
    return current.rest();
  };
  const stop = async (): Promise<SessionStop> => {
    stops++;
    await current.stop();
    return current.rest();
  };

  return {
    async take(work, options = {}) {
      if (isOver) throw new CrewError('RUN_NOT_READY', 'The conversation is closed.');
      const settled = settle(work, options);
      settling.add(settled);
      try {
        return await settled;
      } finally {
        settling.delete(settled);
      }
    },
    stop,
    async end() {
      isOver = true;
      await stop();
      await Promise.allSettled(settling);
    },
  };
}
