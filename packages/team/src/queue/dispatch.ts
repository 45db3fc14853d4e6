/**
 * Fills the free slots of a worker with the next trees of Works: when something is put into the queue, when a slot becomes free, and every
 * two seconds for notices that were lost and for what was delayed.
 */
import { ConnectionLost, type Database } from '../database/database.ts';
import { poolsFor, QUEUE_CHANNEL } from './advance-queue.ts';
import type { Claim, Claims } from './claims.ts';

const LOOK_EVERY_MS = 2_000;

export interface DispatchOptions {
  readonly database: Pick<Database, 'notices'>;
  readonly claims: Pick<Claims, 'takeNext' | 'drop'>;
  readonly slots: number;
  readonly labels: readonly string[];
  /** Rejects if it could not begin. */
  execute(claim: Claim): Promise<void>;
  onBug(id: string, error: unknown): void;
}

export function startDispatch({ database, claims, slots, labels, execute, onBug }: DispatchOptions) {
  const pools = poolsFor(labels);
  let busy = 0;
  let filling: Promise<void> | undefined;
  let isAskedAgain = false;
  let isStopped = false;

  const begin = async (claim: Claim): Promise<void> => {
    busy++;
    try {
      await execute(claim);
    } catch (error) {
      onBug(`advance ${claim.rootId}`, error);
      // It would be renewed as long as this worker lives.
      await claims.drop(claim).catch(() => undefined);
    } finally {
      busy--;
      fill();
    }
  };
  const fillSlots = async (): Promise<void> => {
    do {
      isAskedAgain = false;
      if (isStopped || busy >= slots) return;
      for (const claim of await claims.takeNext(pools, slots - busy)) void begin(claim);
    } while (isAskedAgain);
  };
  const fill = (): void => {
    isAskedAgain = true;
    filling ??= fillSlots()
      .catch((error: unknown) => {
        // The next look is soon.
        if (!(error instanceof ConnectionLost)) onBug('dispatch', error);
      })
      .finally(() => {
        filling = undefined;
      });
  };
  const unsubscribe = database.notices.subscribe(QUEUE_CHANNEL, fill);
  const timer = setInterval(fill, LOOK_EVERY_MS).unref();
  fill();
  return {
    /** Takes no more. */
    async stop(): Promise<void> {
      isStopped = true;
      unsubscribe();
      clearInterval(timer);
      await filling;
    },
  };
}
