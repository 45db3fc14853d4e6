/** Sign-ins that take two requests: what the second one must match is in the database, so that any server can answer it, once. */

import { createSecret, hashSecret } from '../accounts/secret-token.ts';
import type { Database } from '../database/database.ts';

/** As long as somebody may take at the page of an identity provider. */
const SECONDS = 600;

export type Ceremonies = ReturnType<typeof createCeremonies>;

export function createCeremonies(database: Database) {
  return {
    seconds: SECONDS,
    /** Returns the token of the ceremony. */
    async start(kind: string, content: object): Promise<string> {
      const { token, hash } = createSecret();
      await database.write(
        `insert into ceremonies (token_hash, kind, content, expires_at)
         values ($1, $2, $3, now() + make_interval(secs => $4))`,
        [hash, kind, JSON.stringify(content), SECONDS],
      );
      return token;
    },
    /** Undefined if there is none, or it was finished before, or its time is over. */
    async finish<Content>(kind: string, token: string): Promise<Content | undefined> {
      const [row] = await database.write<{ content: string }>(
        'delete from ceremonies where token_hash = $1 and kind = $2 and expires_at > now() returning content',
        [hashSecret(token), kind],
      );
      // Written by `start`.
      return row && (JSON.parse(row.content) as Content);
    },
  };
}
