/** Renews what this process holds for a time, as long as it holds something. */

export interface RenewalTiming {
  /** How long something is held without being renewed. */
  readonly leaseMs: number;
  readonly renewEveryMs: number;
}

export const RENEWAL_TIMING: RenewalTiming = { leaseMs: 15_000, renewEveryMs: 3_000 };

/** Call the result whenever something more is held. */
export function createRenewals(
  everyMs: number,
  held: ReadonlyMap<string, unknown>,
  renew: () => Promise<void>,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  const schedule = (): void => {
    if (timer || held.size === 0) return;
    timer = setTimeout(() => {
      // A database that does not answer may do so before the time is over.
      void renew()
        .catch(() => undefined)
        .finally(() => {
          timer = undefined;
          schedule();
        });
    }, everyMs).unref();
  };
  return schedule;
}
