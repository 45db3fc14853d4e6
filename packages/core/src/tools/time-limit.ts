/** Work that is ended by a time limit or an abort, whether or not it listens. */

export class TimedOut extends Error {}

/** 24 days; a timer above that fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Ends after the limit or on abort even if the work does not; the signal tells the work to stop. */
export async function withTimeLimit<T>(
  limitMs: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
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
  const timer = setTimeout(
    () => {
      stop(new TimedOut());
      controller.abort();
    },
    Math.min(limitMs, MAX_TIMER_MS),
  );
  try {
    return await Promise.race([work(controller.signal), stopped]);
  } finally {
    clearTimeout(timer);
    outer.removeEventListener('abort', onAbort);
    stopped.catch(() => undefined);
  }
}
