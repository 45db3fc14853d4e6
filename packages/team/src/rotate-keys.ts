/** `crewagent team rotate-keys`: encrypts every secret with the current key. Servers and workers need the old key until then. */
import { openDatabase } from './database/database.ts';
import { requireMigrated } from './database/migrate.ts';
import type { KeyRing } from './secrets/key-ring.ts';
import { rotateSecrets } from './secrets/secret-document.ts';

/** Returns how many documents had another key. */
export async function rotateKeys(databaseUrl: string, keys: KeyRing): Promise<number> {
  const database = openDatabase(databaseUrl, { connections: 2, patienceMs: 10_000 });
  try {
    await requireMigrated(database);
    return await rotateSecrets(database, keys);
  } finally {
    await database.close();
  }
}
