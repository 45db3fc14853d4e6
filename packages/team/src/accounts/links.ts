/** Links that work once: an invitation to a project, and the sign-in of one person. */
import { CrewError } from '@crewagent/core';
import { createUuidV7 } from '@crewagent/core/store';
import type { ShownInvitation } from '@crewagent/protocol/api/accounts';
import type { Role } from '@crewagent/protocol/roles';
import type { Database, Queries } from '../database/database.ts';
import { createSecret, hashSecret } from './secret-token.ts';

const SIGN_IN_DAYS = 1;

const newId = createUuidV7(() => new Date());

export interface NewInvitation {
  readonly projectId: string;
  readonly role: Role;
  readonly days: number;
  readonly createdBy: string;
}

interface InvitationRow {
  readonly link_id: string;
  readonly role: Role;
  readonly created_at: Date;
  readonly expires_at: Date;
}

const INVITATION = 'link_id, role, created_at, expires_at';

export function createLinks(database: Database) {
  return {
    /** Returns the token of the link. */
    createSignIn: (personId: string) => createSignInLink(database, personId),
    async invite({ projectId, role, days, createdBy }: NewInvitation) {
      const { token, hash } = createSecret();
      const [row] = await database.write<InvitationRow>(
        `insert into links (token_hash, link_id, kind, project_id, role, created_by, expires_at)
         values ($1, $2, 'invitation', $3, $4, $5, now() + make_interval(days => $6)) returning ${INVITATION}`,
        [hash, newId(), projectId, role, createdBy, days],
      );
      if (!row) throw new Error('the invitation was not stored');
      return { token, invitation: toShown(row) };
    },
    async invitations(projectId: string): Promise<ShownInvitation[]> {
      const rows = await database.read<InvitationRow>(
        `select ${INVITATION} from links where project_id = $1 and kind = 'invitation' and expires_at > now()
         order by created_at desc`,
        [projectId],
      );
      return rows.map(toShown);
    },
    async revoke(projectId: string, linkId: string): Promise<void> {
      await database.read(
        "delete from links where project_id = $1 and link_id = $2 and kind = 'invitation'",
        [projectId, linkId],
      );
    },
    /** Removes those whose time is over. */
    async sweep(): Promise<void> {
      await database.read('delete from links where expires_at < now()');
      await database.read('delete from ceremonies where expires_at < now()');
    },
  };
}

export async function createSignInLink(queries: Queries, personId: string): Promise<string> {
  const { token, hash } = createSecret();
  await queries.write(
    `insert into links (token_hash, link_id, kind, person_id, expires_at)
     values ($1, $2, 'sign-in', $3, now() + make_interval(days => $4))`,
    [hash, newId(), personId, SIGN_IN_DAYS],
  );
  return token;
}

/** Returns whose link it is, and uses it up. Throws LINK_EXPIRED. */
export async function useSignInLink(queries: Queries, token: string): Promise<string> {
  const [row] = await queries.write<{ person_id: string }>(
    `delete from links using people
     where token_hash = $1 and kind = 'sign-in' and expires_at > now()
       and people.person_id = links.person_id and disabled_at is null
     returning links.person_id`,
    [hashSecret(token)],
  );
  if (!row) throw linkExpired();
  return row.person_id;
}

/** Uses an invitation up. It ends with the right to manage of the person who made it. */
export async function useInvitation(
  queries: Queries,
  token: string,
): Promise<{ readonly projectId: string; readonly role: Role }> {
  const [row] = await queries.write<{ project_id: string; role: Role }>(
    `delete from links using people
     where token_hash = $1 and kind = 'invitation' and expires_at > now()
       and people.person_id = created_by and disabled_at is null
       and (is_admin or exists (
         select from project_roles where project_roles.project_id = links.project_id
           and project_roles.person_id = created_by and project_roles.role = 'manage'))
     returning project_id, role`,
    [hashSecret(token)],
  );
  if (!row) throw linkExpired();
  return { projectId: row.project_id, role: row.role };
}

function linkExpired(): CrewError {
  return new CrewError('LINK_EXPIRED', 'This link was already used or has expired. Ask for a new one.');
}

function toShown(row: InvitationRow): ShownInvitation {
  return {
    linkId: row.link_id,
    role: row.role,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
  };
}
