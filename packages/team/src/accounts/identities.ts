/** Identities that people have at identity providers, by issuer and subject. */
import type { Database } from '../database/database.ts';

export function createExternalIdentities(database: Database) {
  return {
    /** Id of the person. */
    async find(issuer: string, subject: string): Promise<string | undefined> {
      const [row] = await database.read<{ person_id: string }>(
        'select person_id from identities where issuer = $1 and subject = $2',
        [issuer, subject],
      );
      return row?.person_id;
    },
    async add(issuer: string, subject: string, personId: string): Promise<void> {
      await database.write(
        'insert into identities (issuer, subject, person_id) values ($1, $2, $3) on conflict do nothing',
        [issuer, subject, personId],
      );
    },
  };
}
