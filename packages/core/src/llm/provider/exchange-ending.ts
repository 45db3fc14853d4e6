/**
 * When an exchange is over: an answer, a failure, a stop or a limit of time, whichever comes first, and only once. Whoever
 * waits is told at once; the connection is given up unless the whole answer was read from it.
 */
import type { ClientRequest } from 'node:http';

export interface ExchangeEnding<End> {
  over(end: End, isComplete?: boolean): void;
  /** A fault of ours. */
  fail(error: unknown): void;
  /** Over with this after so much time; replaces the limit before it. */
  overIn(ms: number, end: () => End): void;
  /** The limit counts from now. */
  prolong(): void;
  readonly isOver: boolean;
}

export interface EndingOptions<End> {
  readonly request: ClientRequest;
  /** Any of them ends the exchange. */
  readonly signals: readonly AbortSignal[];
  readonly totalMs: number;
  readonly whenAborted: End;
  readonly whenTooLong: End;
  resolve(end: End): void;
  reject(error: unknown): void;
}

export function createEnding<End>(options: EndingOptions<End>): ExchangeEnding<End> {
  const { request, signals } = options;
  let isOver = false;
  let limit: NodeJS.Timeout | undefined;
  const deadline = setTimeout(() => over(options.whenTooLong), options.totalMs);
  const abort = (): void => over(options.whenAborted);
  for (const signal of signals) signal.addEventListener('abort', abort);

  function over(end: End, isComplete = false): void {
    if (close(isComplete)) options.resolve(end);
  }

  function close(isComplete: boolean): boolean {
    if (isOver) return false;
    isOver = true;
    clearTimeout(limit);
    clearTimeout(deadline);
    for (const signal of signals) signal.removeEventListener('abort', abort);
    if (!isComplete) request.destroy();
    return true;
  }

  return {
    over,
    fail(error) {
      if (close(false)) options.reject(error);
    },
    overIn(ms, end) {
      clearTimeout(limit);
      if (!isOver) limit = setTimeout(() => over(end()), ms);
    },
    prolong: () => void limit?.refresh(),
    get isOver() {
      return isOver;
    },
  };
}
