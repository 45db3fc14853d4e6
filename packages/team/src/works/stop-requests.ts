/** Requests to stop a Work: a number that grows, and a notice. */
import type { WorkAddress } from '@crewagent/core/store';
import type { Database } from '../database/database.ts';

const CHANNEL = 'crewagent_stop';
/** For notices that were lost. */
const LOOK_EVERY_MS = 5_000;

export function createStopRequests(database: Database) {
  const read = async (workIds: readonly string[]): Promise<ReadonlyMap<string, number>> => {
    const rows = await database.read<{ work_id: string; stop_requests: number }>(
      'select work_id, stop_requests from work_heads where work_id = any($1::text[])',
      [workIds],
    );
    return new Map(rows.map((row) => [row.work_id, row.stop_requests]));
  };
  const watched = new Map<string, Set<{ seen: number; onStop(): void }>>();
  let [unsubscribe, timer]: [(() => void) | undefined, NodeJS.Timeout | undefined] = [undefined, undefined];

  const look = async (workIds: readonly string[]): Promise<void> => {
    for (const [workId, requests] of await read(workIds))
      for (const watcher of watched.get(workId) ?? [])
        while (watcher.seen < requests) {
          watcher.seen++;
          watcher.onStop();
        }
  };
  const lookSafely = (workIds: readonly string[]): void => void look(workIds).catch(() => undefined);
  const begin = (): void => {
    unsubscribe ??= database.notices.subscribe(CHANNEL, (workId) =>
      lookSafely(workId === undefined ? [...watched.keys()] : [workId].filter((id) => watched.has(id))),
    );
    timer ??= setInterval(() => lookSafely([...watched.keys()]), LOOK_EVERY_MS).unref();
  };
  const end = (): void => {
    if (watched.size > 0) return;
    unsubscribe?.();
    clearInterval(timer);
    [unsubscribe, timer] = [undefined, undefined];
  };
  return {
    async request({ workId }: WorkAddress): Promise<void> {
      await database.read(
        `with requested as (
           update work_heads set stop_requests = stop_requests + 1 where work_id = $1 returning work_id)
         select pg_notify('${CHANNEL}', work_id) from requested`,
        [workId],
      );
    },
    async watch({ workId }: WorkAddress, onStop: () => void): Promise<() => void> {
      const watcher = { seen: (await read([workId])).get(workId) ?? 0, onStop };
      const all = watched.get(workId) ?? new Set();
      watched.set(workId, all.add(watcher));
      begin();
      return () => {
        all.delete(watcher);
        if (all.size === 0 && watched.get(workId) === all) watched.delete(workId);
        end();
      };
    },
  };
}
