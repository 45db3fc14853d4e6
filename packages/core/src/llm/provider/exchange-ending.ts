/**
 * Ends an HTTP exchange exactly once: with its response, a failure, an abort or a timeout, whichever comes first.
 * Destroys the connection unless the response was read completely.
 */
import type { ClientRequest } from 'node:http';

export interface ExchangeEnding<End> {
  finish(end: End, isComplete?: boolean): void;
  /** Rejects with an unexpected error. */
  fail(error: unknown): void;
  /** Finishes with this result after a timeout; replaces the previous timeout. */
  finishAfter(ms: number, end: () => End): void;
  /** Restarts the timeout. */
  extend(): void;
  readonly isFinished: boolean;
}

export interface EndingOptions<End> {
  readonly request: ClientRequest;
  /** Each of them aborts the exchange. */
  readonly signals: readonly AbortSignal[];
  readonly totalMs: number;
  readonly whenAborted: End;
  readonly whenTooLong: End;
  resolve(end: End): void;
  reject(error: unknown): void;
}

export function createEnding<End>(options: EndingOptions<End>): ExchangeEnding<End> {
  const { request, signals } = options;
  let isFinished = false;
  let limit: NodeJS.Timeout | undefined;
  const deadline = setTimeout(() => finish(options.whenTooLong), options.totalMs);
  const abort = (): void => finish(options.whenAborted);
  for (const signal of signals) signal.addEventListener('abort', abort);

  function finish(end: End, isComplete = false): void {
    if (close(isComplete)) options.resolve(end);
  }

  function close(isComplete: boolean): boolean {
    if (isFinished) return false;
    isFinished = true;
    clearTimeout(limit);
    clearTimeout(deadline);
    for (const signal of signals) signal.removeEventListener('abort', abort);
    if (!isComplete) request.destroy();
    return true;
  }

  return {
    finish,
    fail(error) {
      if (close(false)) options.reject(error);
    },
    finishAfter(ms, end) {
      clearTimeout(limit);
      if (!isFinished) limit = setTimeout(() => finish(end()), ms);
    },
    extend: () => void limit?.refresh(),
    get isFinished() {
      return isFinished;
    },
  };
}
