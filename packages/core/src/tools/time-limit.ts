/** Bounds asynchronous work by a time limit and an abort signal, even if the work ignores the signal. */

export class TimedOut extends Error {}

/** 24 days; a longer timer would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Rejects after the limit or on abort, whether or not the work reacts to its signal. */
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
