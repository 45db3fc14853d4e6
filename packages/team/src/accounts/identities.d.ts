/** Identities that people have at identity providers, by issuer and subject. */
import type { Database } from '../database/database.ts';
export declare function createExternalIdentities(database: Database): {
  /** Id of the person. */
  find(issuer: string, subject: string): Promise<string | undefined>;
  add(issuer: string, subject: string, personId: string): Promise<void>;
};
