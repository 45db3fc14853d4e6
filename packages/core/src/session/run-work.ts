/**
 * A run by itself, as something that is open: what is said goes to its engine, and comes to rest where the engine does.
 */
import type { RunRecord } from '@crewagent/protocol/run';
import { CrewError } from '../base/crew-error.ts';
import type { StopPoint } from '../engine/stop-point.ts';
import type { AssembledEngine } from './assemble-engine.ts';
import type { OpenRun } from './open-run.ts';
import type { OpenWork, SessionStop, TakeOptions } from './session.ts';

export interface OpenRunWork extends OpenWork {
  readonly record: RunRecord;
  /** Sets it going; words that are there from the start are queued for the first turn. */
  start(input: string | undefined, options?: TakeOptions): Promise<SessionStop>;
}

export function toOpenWork(run: OpenRun): OpenRunWork {
  const { engine, record } = run;
  const rest = (): SessionStop => {
    const { phase, reason } = engine.memory;
    return { mode: 'run', phase, ...(reason ? { reason } : {}) };
  };
  const take = async (
    turn: () => Promise<StopPoint>,
    { onAccepted = () => undefined }: TakeOptions = {},
  ): Promise<SessionStop> => {
    const going = turn();
    const announceAccepted = async (): Promise<void> => {
      await engine.saveInput();
      onAccepted(engine.isRunning ? { mode: 'run', phase: 'Running' } : rest());
    };
    await Promise.all([going, announceAccepted()]);
    return rest();
  };

  return {
    record,
    get isRunning() {
      return engine.isRunning;
    },
    activeRunId: record.workId,
    rest,
    changes: (id) => run.find(id)?.journal.list(),
    subscribe: (listener) => engine.subscribe(listener),
    start: (input, options) =>
      take(() => {
        const going = engine.start();
        if (input !== undefined) void engine.say(input);
        return going;
      }, options),
    input: async (text, options) => (text.trim() === '' ? rest() : take(() => engine.say(text), options)),
    async withdraw(inputSeq, { onAccepted } = {}) {
      engine.withdraw(inputSeq);
      await engine.saveInput();
      onAccepted?.(rest());
      return rest();
    },
    async answer(answers, { callId, ...options } = {}) {
      if (callId !== undefined) requireCall(run, callId);
      return take(() => engine.answer(answers), options);
    },
    async approve(word, { callId, ...options } = {}) {
      if (callId !== undefined) requireCall(run, callId);
      return take(() => engine.approve(word), options);
    },
    skipCall: (way, options) => take(() => engine.skipCall(way), options),
    stop: () => take(() => engine.stop()),
    resume: (options) => take(() => engine.resume(), options),
    close: () => run.close(),
  };
}

/** A second click, or one that came too late, answers nothing else than it was meant for. */
export function requireCall({ engine }: AssembledEngine, callId: string): void {
  if (engine.pending?.callId === callId) return;
  throw new CrewError('RUN_NOT_READY', 'It cannot do that now: it waits for something else by now.');
}
