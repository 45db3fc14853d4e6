/** What operators ask on a terminal: the workers, and what waits for them. */
import { openDatabase } from './database/database.ts';
import { requireMigrated } from './database/migrate.ts';
import { readUnserved, readWorkers } from './http/activity.ts';

export async function readTeamStatus(databaseUrl: string) {
  const database = openDatabase(databaseUrl, { connections: 2, patienceMs: 10_000 });
  try {
    await requireMigrated(database);
    const [row] = await database.read<{ queued: number }>(
      "select count(*)::integer as queued from commands where state = 'queued'",
    );
    return {
      workers: await readWorkers(database),
      queued: row?.queued ?? 0,
      unserved: await readUnserved(database, null),
    };
  } finally {
    await database.close();
  }
}
