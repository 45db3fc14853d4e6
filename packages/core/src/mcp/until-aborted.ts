/** The result of the work, unless the signal aborts first; the work continues for others that wait for it. */
export async function untilAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  toError: () => Error,
): Promise<T> {
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(toError());
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
