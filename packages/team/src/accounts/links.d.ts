import type { ShownInvitation } from '@crewagent/protocol/api/accounts';
import type { Role } from '@crewagent/protocol/roles';
import type { Database, Queries } from '../database/database.ts';
export interface NewInvitation {
  readonly projectId: string;
  readonly role: Role;
  readonly days: number;
  readonly createdBy: string;
}
export declare function createLinks(database: Database): {
  /** Returns the token of the link. */
  createSignIn: (personId: string) => Promise<string>;
  invite({ projectId, role, days, createdBy }: NewInvitation): Promise<{
    token: string;
    invitation: {
      linkId: string;
      role: 'approve' | 'manage' | 'run' | 'view';
      createdAt: string;
      expiresAt: string;
    };
  }>;
  invitations(projectId: string): Promise<ShownInvitation[]>;
  revoke(projectId: string, linkId: string): Promise<void>;
  /** Removes those whose time is over. */
  sweep(): Promise<void>;
};
export declare function createSignInLink(queries: Queries, personId: string): Promise<string>;
/** Returns whose link it is, and uses it up. Throws LINK_EXPIRED. */
export declare function useSignInLink(queries: Queries, token: string): Promise<string>;
/** Uses an invitation up. It ends with the right to manage of the person who made it. */
export declare function useInvitation(
  queries: Queries,
  token: string,
): Promise<{
  readonly projectId: string;
  readonly role: Role;
}>;
