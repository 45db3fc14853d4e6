/**
 * Long waits that a provider asks for: recorded, so that no process asks again before they are over, and a reason to stop where
 * nobody is there to wait.
 */
import type { ModelError } from '../llm/llm-adapter.ts';
import { pause } from '../llm/provider/retry.ts';
import type { LiveRun } from './live-run.ts';

/** Shorter waits are not recorded: they are over before the run could be resumed. */
export const LONG_WAIT_MS = 60_000;

/** Waits for the rest of a wait that a provider requested before the process ended. Returns the error if that is too long. */
export async function finishWait(
  run: LiveRun,
  turn: number,
  signal: AbortSignal,
): Promise<ModelError | undefined> {
  const { memory, sources, emit } = run;
  const { traits } = sources.adapter;
  const { wait } = memory;
  if (!wait || wait.origin !== traits.rules?.origin) return undefined;
  const delayMs = wait.untilMs - sources.clock.now().getTime();
  if (delayMs <= 0) return undefined;
  const message = `${traits.name} asked to wait; ${Math.ceil(delayMs / 60_000)} minutes are left.`;
  if (isTooLong(run, delayMs)) return toWaitError(message, wait.untilMs);
  const { origin } = wait;
  emit({ type: 'llm.retry', turn, attempt: 1, delayMs, code: 'LLM_RATE_LIMITED', message, origin });
  await pause(delayMs, signal);
  return undefined;
}

/** The error of a turn whose provider asks for a wait that is too long; any other error is returned as it is. */
export function recordWait(run: LiveRun, turn: number, error: ModelError): ModelError {
  const { sources, emit } = run;
  const { retryAfterMs = 0, message } = error;
  if (!isTooLong(run, retryAfterMs)) return error;
  const origin = sources.adapter.traits.rules?.origin;
  emit({
    type: 'llm.retry',
    turn,
    attempt: 2,
    delayMs: retryAfterMs,
    code: WAIT_TOO_LONG,
    message,
    origin,
  });
  return toWaitError(message, sources.clock.now().getTime() + retryAfterMs);
}

const WAIT_TOO_LONG = 'LLM_WAIT_TOO_LONG';

function isTooLong({ sources: { attendance } }: LiveRun, ms: number): boolean {
  return ms > (attendance?.maxWaitMs ?? Number.POSITIVE_INFINITY);
}

function toWaitError(why: string, untilMs: number): ModelError {
  const until = new Date(Math.ceil(untilMs / 1_000) * 1_000).toISOString().replace('.000', '');
  return {
    code: WAIT_TOO_LONG,
    message: `${why} The run is paused; resume it after ${until}.`,
    isRetryable: false,
    details: { until },
  };
}
