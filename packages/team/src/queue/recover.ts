/**
 * Finds trees of Works that have something to do and no worker: theirs has died or lost its claim, or is frozen. Queues an advance for each.
 * Every worker looks, one at a time.
 */
import type { Database } from '../database/database.ts';
import type { AdvanceQueue } from './advance-queue.ts';
import { OPEN } from './commands.ts';

const LOOK_EVERY_MS = 5_000;
const LOCK = 7_240_013;

export interface Recovery {
  stop(): void;
}

export function startRecovery(
  database: Database,
  queue: Pick<AdvanceQueue, 'add'>,
  onBug: (id: string, error: unknown) => void,
  everyMs = LOOK_EVERY_MS,
): Recovery {
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void queueAbandoned(database, queue)
      .catch((error: unknown) => onBug('recovery', error))
      .finally(() => {
        isLooking = false;
      });
  }, everyMs).unref();
  return { stop: () => clearInterval(timer) };
}

/** A new command has a moment to be taken from the queue. */
export async function queueAbandoned(
  database: Database,
  queue: Pick<AdvanceQueue, 'add'>,
): Promise<readonly string[]> {
  const rows = await database.transaction(async ({ write }) => {
    const [lock] = await write<{ free: boolean }>('select pg_try_advisory_xact_lock($1) as free', [LOCK]);
    if (!lock?.free) return [];
    return write<{ root_id: string; cause: string }>(
      `select commands.root_id, max(commands.command_id) || '-' || coalesce(max(claims.epoch), 0) as cause
       from commands left join claims using (root_id)
       where state in ${OPEN}
         and (claims.claimed_until is null or claims.claimed_until < now())
         and (state <> 'queued' or commands.created_at < now() - interval '30 s')
       group by commands.root_id limit 1000`,
    );
  });
  for (const { root_id: rootId, cause } of rows) await queue.add(rootId, cause);
  return rows.map((row) => row.root_id);
}
