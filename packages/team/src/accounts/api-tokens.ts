/** Tokens for programs. A token acts for the person who made it, with no more than its scope, in one project or in all. */
import { createUuidV7 } from '@crewagent/core/store';
import type { NewToken, ShownToken } from '@crewagent/protocol/api/accounts';
import type { Role } from '@crewagent/protocol/roles';
import type { Database } from '../database/database.ts';
import { announceAccess } from './access-changes.ts';
import {
  PERSON_WITH_ROLES,
  type PersonWithRoles,
  type PersonWithRolesRow,
  toPersonWithRoles,
} from './people.ts';
import { createSecret, hashSecret } from './secret-token.ts';

/** Secret scanners find tokens by it. */
export const TOKEN_PREFIX = 'crew_';
const USED_EVERY_SECONDS = 60;

export interface FoundToken extends PersonWithRoles {
  readonly tokenId: string;
  readonly scope: Role;
  readonly projectId: string | undefined;
}

interface FoundRow extends PersonWithRolesRow {
  readonly token_id: string;
  readonly scope: Role;
  readonly project_id: string | null;
  readonly is_stale: boolean;
}

interface TokenRow {
  readonly token_id: string;
  readonly name: string;
  readonly scope: Role;
  readonly project_id: string | null;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly used_at: Date | null;
}

const COLUMNS = 'token_id, name, scope, project_id, created_at, expires_at, used_at';

const newId = createUuidV7(() => new Date());

export function createApiTokens(database: Database) {
  return {
    /** The token itself is returned once and never again. */
    async create(
      personId: string,
      { name, scope, projectId, days }: NewToken,
    ): Promise<{ token: string; shown: ShownToken }> {
      const { token, hash } = createSecret(TOKEN_PREFIX);
      const [row] = await database.write<TokenRow>(
        `insert into api_tokens (token_hash, token_id, person_id, name, scope, project_id, expires_at)
         values ($1, $2, $3, $4, $5, $6, now() + make_interval(days => $7)) returning ${COLUMNS}`,
        [hash, newId(), personId, name, scope, projectId ?? null, days],
      );
      if (!row) throw new Error('the token was not stored');
      return { token, shown: toShown(row) };
    },
    /** Undefined if it was revoked or is over, or its person was disabled. `isUse`: it counts as a use of the token. */
    async find(token: string, isUse = true): Promise<FoundToken | undefined> {
      const hash = hashSecret(token);
      const [row] = await database.read<FoundRow>(
        `select token_id, scope, project_id, coalesce(used_at < now() - make_interval(secs => $2), true) as is_stale,
           ${PERSON_WITH_ROLES}
         from api_tokens join people using (person_id)
         where token_hash = $1 and expires_at > now() and disabled_at is null`,
        [hash, USED_EVERY_SECONDS],
      );
      if (!row) return undefined;
      if (isUse && row.is_stale)
        await database.read('update api_tokens set used_at = now() where token_hash = $1', [hash]);
      const { token_id: tokenId, scope, project_id: projectId } = row;
      return { tokenId, scope, projectId: projectId ?? undefined, ...toPersonWithRoles(row) };
    },
    async list(personId: string): Promise<ShownToken[]> {
      const rows = await database.read<TokenRow>(
        `select ${COLUMNS} from api_tokens where person_id = $1 order by created_at desc`,
        [personId],
      );
      return rows.map(toShown);
    },
    /** Nothing happens if it is not a token of this person. */
    async revoke(personId: string, tokenId: string): Promise<void> {
      await database.read('delete from api_tokens where person_id = $1 and token_id = $2', [
        personId,
        tokenId,
      ]);
      await announceAccess(database, personId);
    },
  };
}

function toShown(row: TokenRow): ShownToken {
  return {
    tokenId: row.token_id,
    name: row.name,
    scope: row.scope,
    projectId: row.project_id ?? undefined,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    usedAt: row.used_at?.toISOString(),
  };
}
