/**
 * Trying again: how often, after how long, and that everyone hears of it. Half a reply is never used; a further try starts
 * from nothing.
 */
import type { ChatOutcome, ChatWatch, ModelError } from '../llm-adapter.ts';

export interface RetryPolicy {
  /** In all, the first one included. */
  readonly tries: number;
  readonly baseDelayMs: number;
  /** From 0 to 1. */
  random(): number;
}

export const DEFAULT_RETRY: RetryPolicy = { tries: 5, baseDelayMs: 500, random: Math.random };

const MAX_DELAY_MS = 30_000;
/** A longer wait is left to the person, with the time when it ends. */
export const MAX_ASKED_WAIT_MS = 3_600_000;

export async function withRetries(
  attempt: () => Promise<ChatOutcome>,
  policy: RetryPolicy,
  watch: ChatWatch,
): Promise<ChatOutcome> {
  for (let number = 1; ; number++) {
    if (watch.signal.aborted) return { kind: 'aborted' };
    const outcome = await attempt();
    if (outcome.kind !== 'failed' || !outcome.error.isRetryable || number >= policy.tries) return outcome;
    if ((outcome.error.retryAfterMs ?? 0) > MAX_ASKED_WAIT_MS) return outcome;
    const delayMs = delayBefore(number, outcome.error, policy);
    watch.onProgress({ type: 'retry', attempt: number + 1, delayMs, error: outcome.error });
    await pause(delayMs, watch.signal);
  }
}

/** Doubles from try to try, with a half left to chance so that many clients do not come back at once. */
function delayBefore(tries: number, error: ModelError, { baseDelayMs, random }: RetryPolicy): number {
  const longest = Math.min(MAX_DELAY_MS, baseDelayMs * 2 ** (tries - 1));
  return Math.round(Math.max(longest * (0.5 + random() / 2), error.retryAfterMs ?? 0));
}

export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
