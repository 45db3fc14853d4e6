/** Retries a request with growing delays, as event streams reconnect. */
import { ApiError } from '@crewagent/protocol/api/client';
import * as z from '@crewagent/protocol/zod';

export interface RetryOptions {
  readonly signal: AbortSignal;
  /** Called after each failed attempt. */
  readonly onBroken?: () => void;
  readonly firstWaitMs?: number;
}

const INITIAL_WAIT_MS = 250;
const MAX_WAIT_MS = 5_000;

/** Throws errors that a retry cannot fix, and when `signal` is aborted. */
export async function retryUntilAnswered<T>(
  ask: () => Promise<T>,
  { signal, onBroken = () => undefined, firstWaitMs = INITIAL_WAIT_MS }: RetryOptions,
): Promise<T> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)) {
    try {
      return await ask();
    } catch (error) {
      if (signal.aborted || isFinal(error)) throw error;
    }
    onBroken();
    await pause(waitMs, signal);
    signal.throwIfAborted();
  }
}

/** The server rejected the request, or its response was malformed. */
function isFinal(error: unknown): boolean {
  return error instanceof z.core.$ZodError || (error instanceof ApiError && !error.isWorthRetrying);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}
