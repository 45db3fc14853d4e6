/** What operators ask on a terminal: the workers, and what waits for them. */
import { useDatabase } from './database/use-database.ts';
import { readUnserved, readWorkers } from './http/activity.ts';

export function readTeamStatus(databaseUrl: string) {
  return useDatabase(databaseUrl, async (database) => {
    const [row] = await database.read<{ queued: number }>(
      "select count(*)::integer as queued from commands where state = 'queued'",
    );
    return {
      workers: await readWorkers(database),
      queued: row?.queued ?? 0,
      unserved: await readUnserved(database, null),
    };
  });
}
