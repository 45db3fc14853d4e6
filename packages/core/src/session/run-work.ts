/**
 * An open run as an `OpenWork`: input goes to its engine, and every command resolves when the engine stops.
 */
import type { RunRecord } from '@crewagent/protocol/run';
import { CrewError } from '../base/crew-error.ts';
import type { StopPoint } from '../engine/stop-point.ts';
import type { AssembledEngine } from './assemble-engine.ts';
import type { OpenRun } from './open-run.ts';
import type { AcceptOptions, OpenWork, SessionStop } from './session.ts';

export interface OpenRunWork extends OpenWork {
  readonly record: RunRecord;
  /** Starts the run; `input` is queued for the first turn. */
  start(input: string | undefined, options?: AcceptOptions): Promise<SessionStop>;
}

export function toOpenWork(run: OpenRun): OpenRunWork {
  const { engine, record } = run;
  const state = (): SessionStop => {
    const { phase, reason } = engine.memory;
    return { mode: 'run', phase, reason };
  };
  const execute = async (
    turn: () => Promise<StopPoint>,
    { onAccepted }: AcceptOptions = {},
  ): Promise<SessionStop> => {
    const done = turn();
    // The stop itself, not the memory: if the disk is full, the memory lacks it.
    if (!onAccepted) return { mode: 'run', ...(await done) };
    const announceAccepted = async (): Promise<void> => {
      await engine.saveInput();
      onAccepted(engine.isRunning ? { mode: 'run', phase: 'Running' } : state());
    };
    await Promise.all([done, announceAccepted()]);
    return state();
  };

  return {
    record,
    get isRunning() {
      return engine.isRunning;
    },
    activeRunId: record.workId,
    get pending() {
      return engine.pending;
    },
    state,
    changes: (id) => run.find(id)?.journal.list(),
    subscribe: (listener) => engine.subscribe(listener),
    start: (input, options) =>
      execute(() => {
        const done = engine.start();
        if (input !== undefined) void engine.say(input);
        return done;
      }, options),
    input: async (text, options) =>
      text.trim() === '' ? state() : execute(() => engine.say(text, options?.speaker), options),
    async withdraw(inputSeq, { onAccepted } = {}) {
      engine.withdraw(inputSeq);
      await engine.saveInput();
      onAccepted?.(state());
      return state();
    },
    async answer(answers, { callId, speaker, ...options } = {}) {
      if (callId !== undefined) requireCall(run, callId);
      return execute(() => engine.answer(answers, speaker), options);
    },
    async approve(response, { callId, ...options } = {}) {
      if (callId !== undefined) requireCall(run, callId);
      return execute(() => engine.approve(response), options);
    },
    async waive(request, options) {
      await engine.waive(request);
      return execute(() => engine.resume(), options);
    },
    skipCall: (skipped, options) => execute(() => engine.skipCall(skipped), options),
    stop: () => execute(() => engine.stop()),
    async stopQuestion(callId, { onAccepted } = {}) {
      const stop: SessionStop = { mode: 'run', ...(await engine.stopQuestion(callId)) };
      onAccepted?.(stop);
      return stop;
    },
    resume: (options) => execute(() => engine.resume(), options),
    close: () => run.close(),
  };
}

/** Rejects an answer whose call is no longer pending: a second click, or a click that came too late. */
export function requireCall({ engine }: AssembledEngine, callId: string): void {
  if (engine.pending?.callId === callId) return;
  throw new CrewError(
    'RUN_NOT_READY',
    'This request is no longer pending. Check what the run is waiting for now.',
  );
}
