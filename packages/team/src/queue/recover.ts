/**
 * Finds trees of Works that have something to do and no worker: theirs has died or lost its claim, or is frozen. Queues an advance for each.
 * Every worker looks, one at a time.
 */
import { ConnectionLost, type Database } from '../database/database.ts';
import { type AdvanceQueue, QUEUED_ROOTS } from './advance-queue.ts';
import { IS_DUE, OPEN } from './commands.ts';

const LOOK_EVERY_MS = 5_000;
const LOCK = 7_240_013;
const TIDY_EVERY_MS = 60_000;
/** A worker that was not seen for this long is dead, or its claims are lost all the same. */
const DEAD_AFTER_MS = 300_000;
const FORGET_AFTER_MS = 3_600_000;

export interface Recovery {
  stop(): void;
}

export function startRecovery(
  database: Database,
  queue: Pick<AdvanceQueue, 'add' | 'cancelAbandoned' | 'forgetEnded'>,
  onBug: (id: string, error: unknown) => void,
  everyMs = LOOK_EVERY_MS,
): Recovery {
  let isLooking = false;
  let tidyAt = Date.now() + TIDY_EVERY_MS;
  const look = async (): Promise<void> => {
    await queueAbandoned(database, queue);
    if (Date.now() < tidyAt) return;
    tidyAt = Date.now() + TIDY_EVERY_MS;
    await tidyQueue(database, queue);
  };
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void look()
      .catch((error: unknown) => {
        // The next look is soon.
        if (!(error instanceof ConnectionLost)) onBug('recovery', error);
      })
      .finally(() => {
        isLooking = false;
      });
  }, everyMs).unref();
  return { stop: () => clearInterval(timer) };
}

/** How long an advance has from the queue to its claim. */
const MOMENT = "interval '30 s'";

/**
 * The name of an advance has the time in it: one that died between the queue and its claim is followed by another one. None is added while
 * one is in the queue, however long that takes.
 */
export async function queueAbandoned(
  database: Database,
  queue: Pick<AdvanceQueue, 'add'>,
): Promise<readonly string[]> {
  const rows = await database.transaction(async ({ write }) => {
    const [lock] = await write<{ free: boolean }>('select pg_try_advisory_xact_lock($1) as free', [LOCK]);
    if (!lock?.free) return [];
    return write<{ root_id: string; cause: string }>(
      `select commands.root_id, concat_ws('-', max(commands.command_id), coalesce(max(claims.epoch), 0),
         floor(extract(epoch from now()) / extract(epoch from ${MOMENT}))) as cause
       from commands left join claims using (root_id)
       where state in ${OPEN} and ${IS_DUE}
         and (claims.claimed_until is null or claims.claimed_until < now())
         and (state <> 'queued' or commands.created_at < now() - ${MOMENT})
         and not exists (select from (${QUEUED_ROOTS}) as queued where queued.root_id = commands.root_id)
       group by commands.root_id limit 1000`,
    );
  });
  for (const { root_id: rootId, cause } of rows) await queue.add(rootId, cause);
  return rows.map((row) => row.root_id);
}

/** Nothing depends on it: claims decide who advances a tree. The tables of the queue would grow for ever. */
export async function tidyQueue(
  database: Database,
  queue: Pick<AdvanceQueue, 'cancelAbandoned' | 'forgetEnded'>,
  deadAfterMs = DEAD_AFTER_MS,
): Promise<void> {
  const alive = await database.read<{ worker_id: string }>(
    "select worker_id from workers where seen_at > now() - $1 * interval '1 ms'",
    [deadAfterMs],
  );
  await queue.cancelAbandoned(
    alive.map((row) => row.worker_id),
    new Date(Date.now() - deadAfterMs),
  );
  await queue.forgetEnded(new Date(Date.now() - FORGET_AFTER_MS));
  await database.read("delete from workers where seen_at < now() - interval '1 day'");
  await database.read('select close_hours()');
}
