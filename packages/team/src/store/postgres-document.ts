/** One JSON document of a team in a row. Whoever changes it holds a lock of the database meanwhile. */
import { createQueue, parseJson, type StoredDocument } from '@crewagent/core/store';
import type { Database, Queries } from '../database/database.ts';

/** What several reads of one piece of work share for a moment: the start of a run reads the settings in several places. */
const SHARED_MS = 1_000;

/** `workNow`: the piece of work that the caller belongs to. */
export function createPostgresDocument(
  database: Database,
  name: string,
  workNow: () => object | undefined = () => undefined,
): StoredDocument {
  const label = `the document "${name}" of the team`;
  // One connection at most, however many callers wait.
  const inOrder = createQueue();
  let shared = new WeakMap<object, { readonly until: number; readonly value: Promise<unknown> }>();
  let changes = 0;
  let latest: { readonly text: string; readonly value: unknown } | undefined;

  /** `lock`: exclusive for whoever changes the document. */
  const locked = <T>(lock: 'pg_advisory_xact_lock' | 'pg_advisory_xact_lock_shared', work: LockedWork<T>) =>
    inOrder(() =>
      database.transaction(async (queries) => {
        await queries.write(`select ${lock}(hashtextextended($1, 0))`, [`document ${name}`]);
        return work(queries);
      }),
    );
  const read = async (): Promise<unknown> => {
    const [row] = await database.read<{ value: string }>('select value from documents where name = $1', [
      name,
    ]);
    if (!row) return undefined;
    if (latest?.text !== row.value) latest = { text: row.value, value: parseJson(row.value, label) };
    return latest.value;
  };
  return {
    label,
    read() {
      // A change begins with what is stored.
      const work = changes > 0 ? undefined : workNow();
      const known = work && shared.get(work);
      if (known && performance.now() < known.until) return known.value;
      const value = read();
      if (work) shared.set(work, { until: performance.now() + SHARED_MS, value });
      return value;
    },
    async change(work) {
      changes++;
      try {
        return await locked('pg_advisory_xact_lock', (queries) =>
          work(async (value) => {
            await queries.write(
              `insert into documents (name, value) values ($1, $2)
               on conflict (name) do update set value = excluded.value`,
              [name, JSON.stringify(value)],
            );
          }),
        );
      } finally {
        changes--;
        shared = new WeakMap();
      }
    },
    hold: (work) => locked('pg_advisory_xact_lock_shared', work),
  };
}

type LockedWork<T> = (queries: Queries) => Promise<T>;
