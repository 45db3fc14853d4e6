/** Sessions of browsers: they end when they were not used for a week, after a month, or when somebody signs out. */
import { createUuidV7 } from '@crewagent/core/store';
import type { ShownSession } from '@crewagent/protocol/api/accounts';
import type { Database } from '../database/database.ts';
import { announceAccess } from './access-changes.ts';
import {
  PERSON_WITH_ROLES,
  type PersonWithRoles,
  type PersonWithRolesRow,
  toPersonWithRoles,
} from './people.ts';
import { createSecret, hashSecret } from './secret-token.ts';

export interface SessionLimits {
  readonly idleSeconds: number;
  readonly absoluteSeconds: number;
}

const DAY_SECONDS = 86_400;
const LIMITS: SessionLimits = { idleSeconds: 7 * DAY_SECONDS, absoluteSeconds: 30 * DAY_SECONDS };
/** The last use of a session is as exact as this. */
const SEEN_EVERY_SECONDS = 60;

export interface Device {
  readonly userAgent: string;
  readonly address: string;
}

export interface FoundSession extends PersonWithRoles {
  readonly sessionId: string;
}

const newId = createUuidV7(() => new Date());

export function createSessions(database: Database, limits: SessionLimits = LIMITS) {
  const { idleSeconds, absoluteSeconds } = limits;
  return {
    absoluteSeconds,
    /** Returns the token of the new session. */
    async open(personId: string, { userAgent, address }: Device): Promise<string> {
      const { token, hash } = createSecret();
      await database.write(
        `insert into sessions (token_hash, session_id, person_id, user_agent, address, expires_at)
         values ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))`,
        [hash, newId(), personId, userAgent.slice(0, 500), address, absoluteSeconds],
      );
      return token;
    },
    /** Undefined if the session is over, or its person was disabled. `isUse`: it counts as a use of the session. */
    async find(token: string, isUse = true): Promise<FoundSession | undefined> {
      const hash = hashSecret(token);
      const [row] = await database.read<PersonWithRolesRow & { session_id: string; is_stale: boolean }>(
        `select session_id, seen_at < now() - make_interval(secs => $3) as is_stale, ${PERSON_WITH_ROLES}
         from sessions join people using (person_id)
         where token_hash = $1 and expires_at > now() and seen_at > now() - make_interval(secs => $2)
           and disabled_at is null`,
        [hash, idleSeconds, SEEN_EVERY_SECONDS],
      );
      if (!row) return undefined;
      if (isUse && row.is_stale)
        await database.read('update sessions set seen_at = now() where token_hash = $1', [hash]);
      return { sessionId: row.session_id, ...toPersonWithRoles(row) };
    },
    async list(personId: string): Promise<ShownSession[]> {
      const rows = await database.read<{
        session_id: string;
        user_agent: string;
        address: string;
        created_at: Date;
        seen_at: Date;
      }>(
        `select session_id, user_agent, address, created_at, seen_at from sessions
         where person_id = $1 and expires_at > now() and seen_at > now() - make_interval(secs => $2)
         order by seen_at desc`,
        [personId, idleSeconds],
      );
      return rows.map((row) => ({
        sessionId: row.session_id,
        userAgent: row.user_agent,
        address: row.address,
        createdAt: row.created_at.toISOString(),
        seenAt: row.seen_at.toISOString(),
      }));
    },
    /** Ends one session of the person, or all but one, or all. */
    async end(
      personId: string,
      which: { readonly only?: string; readonly except?: string } = {},
    ): Promise<void> {
      await database.read(
        `delete from sessions where person_id = $1 and ($2::text is null or session_id = $2)
           and ($3::text is null or session_id <> $3)`,
        [personId, which.only ?? null, which.except ?? null],
      );
      await announceAccess(database, personId);
    },
    /** Removes those that are over. */
    async sweep(): Promise<void> {
      await database.read(
        'delete from sessions where expires_at < now() or seen_at < now() - make_interval(secs => $1)',
        [idleSeconds],
      );
    },
  };
}
