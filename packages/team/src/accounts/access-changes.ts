/** Tells all servers that somebody may see more or less than before: open streams are checked again. */
import type { Queries } from '../database/database.ts';

export const ACCESS_CHANNEL = 'crewagent_access';

export async function announceAccess(queries: Queries, personId: string): Promise<void> {
  await queries.read('select pg_notify($1, $2)', [ACCESS_CHANNEL, personId]);
}

/** Those of these sessions and tokens that have not ended. */
export async function findOpen(queries: Queries, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await queries.read<{ id: string }>(
    `select session_id as id from sessions where session_id = any($1::text[]) and expires_at > now()
     union all
     select token_id from api_tokens where token_id = any($1::text[]) and expires_at > now()`,
    [ids],
  );
  return new Set(rows.map(({ id }) => id));
}
