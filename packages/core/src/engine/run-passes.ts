/**
 * The passes of an engine: each runs the loop until the run stops, one at a time. Errors of a run become its phase here.
 */
import { randomUUID } from 'node:crypto';
import { SKIPPED } from '@crewagent/protocol/answers';
import { CrewError } from '../base/crew-error.ts';
import { errnoSentence } from '../base/errno.ts';
import { warnOfUnenforceableLimit } from './limits.ts';
import { type LiveRun, noteOutsideChanges } from './live-run.ts';
import { runLoop } from './run-loop.ts';
import { isUnanswered } from './run-memory.ts';
import { type LoopStart, STOPPED, type StopPoint, waiting } from './stop-point.ts';
import { abandonOpenCalls } from './tool-round.ts';

export type RunPasses = ReturnType<typeof createPasses>;

interface RunStart extends LoopStart {
  prepare?(): Promise<void>;
}

export function createPasses(run: LiveRun) {
  const { memory } = run;
  let stopper = new AbortController();
  let current: Promise<StopPoint> | undefined;
  let started: Promise<void> | undefined;

  const start = (options: RunStart = {}): Promise<StopPoint> => {
    stopper = new AbortController();
    let onStarted = (): void => undefined;
    started = new Promise((resolve) => {
      onStarted = resolve;
    });
    current = runOnce(run, { ...options, onStarted: () => onStarted() }, stopper.signal).finally(() => {
      onStarted();
      current = undefined;
    });
    return current;
  };
  const idleStop = (): StopPoint =>
    memory.phase === 'Running'
      ? waiting('interrupted', 'The run was interrupted.')
      : { phase: memory.phase, reason: memory.reason };
  /** Stops the pass in progress. */
  const stop = (): Promise<StopPoint> => {
    stopper.abort(stopReason());
    return current ?? Promise.resolve(idleStop());
  };

  return {
    /** The stop of the pass in progress; undefined while the run is idle. */
    get current(): Promise<StopPoint> | undefined {
      return current;
    },
    /** Resolves when the record of the latest pass says Running. */
    get started(): Promise<void> | undefined {
      return started;
    },
    start,
    /** The stop after the pass in progress. Input that arrived too late for that pass gets another one. */
    async afterInput(): Promise<StopPoint> {
      const { signal } = stopper;
      const stop = current ? await current : idleStop();
      if (signal.aborted || isUnanswered(memory.pending)) return stop;
      return current ?? (memory.inputs.length > 0 ? start() : stop);
    },
    /** Throws RUN_NOT_READY while a pass is in progress. */
    requireIdle(why: string): void {
      rejectIf(current !== undefined, why);
    },
    stop,
    /** Skips the question of this call and stops: no pass begins. If it was answered meanwhile, the pass in progress is stopped. */
    stopQuestion(callId: string): Promise<StopPoint> {
      const { pending } = memory;
      if (current || !isUnanswered(pending) || pending.kind !== 'question' || pending.callId !== callId)
        return stop();
      const answers = Object.fromEntries(pending.questions.map(({ id }) => [id, SKIPPED]));
      run.emit({ type: 'question.answered', callId, answers });
      // The record first: an answer on disk must never belong to a run whose record still says that it is waiting for it.
      const saved = run.sources.savePhase(STOPPED.phase, STOPPED.reason).then(() => savePass(run, STOPPED));
      current = saved.finally(() => {
        current = undefined;
      });
      return current;
    },
  };
}

let reason: DOMException | undefined;

/** One for all runs: the default reason is created with its stack, for each run that is closed. */
function stopReason(): DOMException {
  reason ??= new DOMException('The run was stopped.', 'AbortError');
  return reason;
}

export function rejectIf(condition: boolean, why: string): void {
  if (condition) throw notReady(why);
}

export function notReady(why: string): CrewError {
  return new CrewError('RUN_NOT_READY', `The run cannot do that now: ${why}.`);
}

async function runOnce(
  run: LiveRun,
  { intent, calledStop, prepare, onStarted }: RunStart & { onStarted(): void },
  signal: AbortSignal,
): Promise<StopPoint> {
  const { memory, sources } = run;
  const begin = async (): Promise<StopPoint> => {
    run.resetForRun(signal);
    if (intent === 'resume') {
      run.emit({ type: 'run.resumed', nodeId: memory.state.currentNodeId });
    }
    if (memory.phase !== 'Running') run.emit({ type: 'phase.changed', phase: 'Running' });
    // Saved before the input: an answer on disk must never belong to a run whose record still says that it is waiting for it.
    await sources.savePhase('Running', undefined);
    await run.saveInput();
    onStarted();
    await prepare?.();
    await warnOfUnenforceableLimit(run);
    abandonOpenCalls(run);
    await noteOutsideChanges(run);
    return runLoop(run, { intent, calledStop }, signal);
  };
  let stop: StopPoint;
  try {
    stop = await begin();
  } catch (error) {
    await run.child?.engine.stop();
    stop = toStopPoint(run, error);
  }
  return savePass(run, run.keys.hide(stop));
}

/** Records how a pass ended. */
async function savePass(run: LiveRun, stop: StopPoint): Promise<StopPoint> {
  try {
    run.emit({ type: 'phase.changed', ...stop });
    await run.log.sync();
    await run.sources.savePhase(stop.phase, stop.reason);
  } catch (error) {
    // The phase could not be saved. The record still says Running, so the next start finds the run interrupted.
    if (!(error instanceof CrewError)) throw error;
    return waiting(error.code, error.message);
  }
  return stop;
}

/** `Failed` is for errors that a resume cannot fix. */
function toStopPoint(run: LiveRun, error: unknown): StopPoint {
  if (error instanceof CrewError) {
    const { code, message } = error;
    emitError(run, code, message);
    const isFinal = code === 'STATE_DAMAGED' || code === 'PACKAGE_NOT_FOUND';
    return isFinal ? { phase: 'Failed', reason: { code, message } } : waiting(code, message);
  }
  const sentence = errnoSentence(error);
  if (sentence !== undefined) {
    const message = `A file of the run could not be read or written: ${sentence}.`;
    emitError(run, 'DISK', message);
    return waiting('DISK', message);
  }
  const id = randomUUID().slice(0, 8);
  run.sources.onBug(id, error);
  const message = `The runtime itself failed (${id}); nothing is lost, and the run can be resumed.`;
  emitError(run, 'E_INTERNAL', message);
  return waiting('E_INTERNAL', message);
}

function emitError(run: LiveRun, code: string, message: string): void {
  try {
    run.emit({ type: 'error', code, message });
  } catch (error) {
    if (!(error instanceof CrewError)) throw error;
  }
}
