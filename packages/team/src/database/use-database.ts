/** An open database for one command of an operator. */
import { type Database, openDatabase } from './database.ts';
import { requireMigrated } from './migrate.ts';

export async function useDatabase<T>(
  databaseUrl: string,
  use: (database: Database) => Promise<T>,
): Promise<T> {
  const database = openDatabase(databaseUrl, { connections: 2, patienceMs: 10_000 });
  try {
    await requireMigrated(database);
    return await use(database);
  } finally {
    await database.close();
  }
}
