/** Secrets of the team or of one project as an encrypted document of the database. */
import { createQueue, parseJson, type StoredDocument } from '@crewagent/core/store';
import type { Database, Queries } from '../database/database.ts';
import type { KeyRing } from './key-ring.ts';

export interface SecretDocumentOptions {
  readonly database: Database;
  readonly keys: KeyRing;
  /** Default: of the team. */
  readonly projectId?: string | undefined;
}

/** The name of the only document so far. */
const NAME = 'secrets';
const LABEL = 'the secrets of the team';

interface SecretRow {
  readonly key_id: string;
  readonly sealed: Buffer;
}

export function createSecretDocument({
  database,
  keys,
  projectId = '',
}: SecretDocumentOptions): StoredDocument {
  const place = [projectId, NAME];
  // In this process one after the other: each change holds a connection and reads with a second one.
  const inOrder = createQueue();
  let last: { readonly sealed: Buffer; readonly value: unknown } | undefined;

  const write = async ({ write: execute }: Queries, value: unknown): Promise<void> => {
    const { keyId, bytes } = keys.seal(JSON.stringify(value), place);
    await execute(
      `insert into secrets (project_id, name, key_id, sealed) values ($1, $2, $3, $4)
       on conflict (project_id, name) do update set key_id = excluded.key_id, sealed = excluded.sealed`,
      [...place, keyId, bytes],
    );
  };
  const locked = <T>(lock: string, work: (queries: Queries) => Promise<T>): Promise<T> =>
    inOrder(() =>
      database.transaction(async (queries) => {
        await queries.write(`select ${lock}(hashtextextended($1, 0))`, [`crewagent secrets ${projectId}`]);
        return work(queries);
      }),
    );
  return {
    label: LABEL,
    async read() {
      const [row] = await database.read<SecretRow>(
        'select key_id, sealed from secrets where project_id = $1 and name = $2',
        place,
      );
      if (!row) return undefined;
      if (last?.sealed.equals(row.sealed)) return last.value;
      const text = keys.open({ keyId: row.key_id, bytes: row.sealed }, place);
      last = { sealed: row.sealed, value: parseJson(text, LABEL) };
      return last.value;
    },
    change: (work) => locked('pg_advisory_xact_lock', (queries) => work((value) => write(queries, value))),
    hold: (work) => locked('pg_advisory_xact_lock_shared', work),
  };
}

/** Encrypts everything with the current key that is not. Returns how many documents were. */
export async function rotateSecrets(database: Database, keys: KeyRing): Promise<number> {
  return database.transaction(async ({ write }) => {
    const rows = await write<SecretRow & { project_id: string; name: string }>(
      'select project_id, name, key_id, sealed from secrets where key_id <> $1 for update',
      [keys.keyId],
    );
    for (const { project_id, name, key_id, sealed } of rows) {
      const place = [project_id, name];
      const { keyId, bytes } = keys.seal(keys.open({ keyId: key_id, bytes: sealed }, place), place);
      await write('update secrets set key_id = $3, sealed = $4 where project_id = $1 and name = $2', [
        ...place,
        keyId,
        bytes,
      ]);
    }
    return rows.length;
  });
}
