import type { ShownSession } from '@crewagent/protocol/api/accounts';
import type { Database } from '../database/database.ts';
import { type PersonWithRoles } from './people.ts';
export interface SessionLimits {
  readonly idleSeconds: number;
  readonly absoluteSeconds: number;
}
export interface Device {
  readonly userAgent: string;
  readonly address: string;
}
export interface FoundSession extends PersonWithRoles {
  readonly sessionId: string;
}
export declare function createSessions(
  database: Database,
  limits?: SessionLimits,
): {
  absoluteSeconds: number;
  /** Returns the token of the new session. */
  open(personId: string, { userAgent, address }: Device): Promise<string>;
  /** Undefined if the session is over, or its person was disabled. `isUse`: it counts as a use of the session. */
  find(token: string, isUse?: boolean): Promise<FoundSession | undefined>;
  list(personId: string): Promise<ShownSession[]>;
  /** Ends one session of the person, or all but one, or all. */
  end(
    personId: string,
    which?: {
      readonly only?: string;
      readonly except?: string;
    },
  ): Promise<void>;
  /** Removes those that are over. */
  sweep(): Promise<void>;
};
