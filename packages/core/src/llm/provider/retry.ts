/**
 * Retries with backoff, reported as progress. A partial reply is never used; every attempt starts from scratch.
 */
import type { ChatOutcome, ChatWatch, ModelError } from '../llm-adapter.ts';

export interface RetryPolicy {
  /** Number of attempts, including the first. */
  readonly tries: number;
  readonly baseDelayMs: number;
  /** A number from 0 to 1. */
  random(): number;
}

export const DEFAULT_RETRY: RetryPolicy = { tries: 5, baseDelayMs: 500, random: Math.random };

const MAX_DELAY_MS = 30_000;
/** A longer wait is reported to the person instead. */
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
    if ((outcome.error.retryAfterMs ?? 0) > (watch.maxWaitMs ?? MAX_ASKED_WAIT_MS)) return outcome;
    const delayMs = delayBefore(number, outcome.error, policy);
    watch.onProgress({ type: 'retry', attempt: number + 1, delayMs, error: outcome.error });
    await pause(delayMs, watch.signal);
    if (!watch.signal.aborted) await watch.settle?.();
  }
}

/** Exponential backoff with jitter, so that many clients do not retry at the same time. */
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
