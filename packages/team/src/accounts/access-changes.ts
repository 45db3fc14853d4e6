/** Tells all servers that somebody may see more or less than before: open streams are checked again. */
import type { Queries } from '../database/database.ts';

export const ACCESS_CHANNEL = 'crewagent_access';

export async function announceAccess(queries: Queries, personId: string): Promise<void> {
  await queries.read('select pg_notify($1, $2)', [ACCESS_CHANNEL, personId]);
}
