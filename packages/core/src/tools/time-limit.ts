/** Bounds asynchronous work by a time limit and an abort signal, even if the work ignores the signal. */

export class TimedOut extends Error {}

/** 24 days; a longer timer would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Rejects after the limit or on abort, whether or not the work reacts to its signal. Work that reports progress starts the limit
 * anew, up to `maxMs` in total.
 */
export async function withTimeLimit<T>(
  limitMs: number,
  outer: AbortSignal,
  work: (signal: AbortSignal, extend: () => void) => Promise<T>,
  maxMs = limitMs,
): Promise<T> {
  const controller = new AbortController();
  let stop: (reason: Error) => void = () => undefined;
  const stopped = new Promise<never>((_, reject) => {
    stop = reject;
  });
  const onAbort = (): void => {
    stop(new Error('aborted'));
    controller.abort();
  };
  outer.addEventListener('abort', onAbort, { once: true });
  const onTimeout = (): void => {
    stop(new TimedOut());
    controller.abort();
  };
  const endsAt = performance.now() + maxMs;
  let isOver = false;
  let timer = setTimeout(onTimeout, Math.min(limitMs, MAX_TIMER_MS));
  const extend = (): void => {
    clearTimeout(timer);
    const leftMs = Math.min(limitMs, endsAt - performance.now(), MAX_TIMER_MS);
    if (!isOver) timer = setTimeout(onTimeout, Math.max(0, leftMs));
  };
  try {
    return await Promise.race([work(controller.signal, extend), stopped]);
  } finally {
    isOver = true;
    clearTimeout(timer);
    outer.removeEventListener('abort', onAbort);
    stopped.catch(() => undefined);
  }
}
