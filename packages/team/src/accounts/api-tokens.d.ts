import type { NewToken, ShownToken } from '@crewagent/protocol/api/accounts';
import type { Role } from '@crewagent/protocol/roles';
import type { Database } from '../database/database.ts';
import { type PersonWithRoles } from './people.ts';
/** Secret scanners find tokens by it. */
export declare const TOKEN_PREFIX = 'crew_';
export interface FoundToken extends PersonWithRoles {
  readonly scope: Role;
  readonly projectId: string | undefined;
}
export declare function createApiTokens(database: Database): {
  /** The token itself is returned once and never again. */
  create(
    personId: string,
    { name, scope, projectId, days }: NewToken,
  ): Promise<{
    token: string;
    shown: ShownToken;
  }>;
  /** Undefined if it was revoked or is over, or its person was disabled. `isUse`: it counts as a use of the token. */
  find(token: string, isUse?: boolean): Promise<FoundToken | undefined>;
  list(personId: string): Promise<ShownToken[]>;
  /** Nothing happens if it is not a token of this person. */
  revoke(personId: string, tokenId: string): Promise<void>;
};
