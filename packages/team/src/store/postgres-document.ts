/** One JSON document of a team in a row. Whoever changes it holds a lock of the database meanwhile. */
import { createQueue, parseJson, type StoredDocument } from '@crewagent/core/store';
import type { Database, Queries } from '../database/database.ts';

export function createPostgresDocument(database: Database, name: string): StoredDocument {
  const label = `the document "${name}" of the team`;
  // One connection at most, however many callers wait.
  const inOrder = createQueue();
  let latest: { readonly text: string; readonly value: unknown } | undefined;

  /** `lock`: exclusive for whoever changes the document. */
  const locked = <T>(lock: 'pg_advisory_xact_lock' | 'pg_advisory_xact_lock_shared', work: LockedWork<T>) =>
    inOrder(() =>
      database.transaction(async (queries) => {
        await queries.write(`select ${lock}(hashtextextended($1, 0))`, [`document ${name}`]);
        return work(queries);
      }),
    );
  return {
    label,
    async read() {
      const [row] = await database.read<{ value: string }>('select value from documents where name = $1', [
        name,
      ]);
      if (!row) return undefined;
      if (latest?.text !== row.value) latest = { text: row.value, value: parseJson(row.value, label) };
      return latest.value;
    },
    change: (work) =>
      locked('pg_advisory_xact_lock', (queries) =>
        work(async (value) => {
          await queries.write(
            `insert into documents (name, value) values ($1, $2)
             on conflict (name) do update set value = excluded.value`,
            [name, JSON.stringify(value)],
          );
        }),
      ),
    hold: (work) => locked('pg_advisory_xact_lock_shared', work),
  };
}

type LockedWork<T> = (queries: Queries) => Promise<T>;
