/** The audit log: who did what, where, when, and how it ended. The database refuses to change or delete an entry. */
import type { AuditEntry } from '@crewagent/protocol/api/accounts';
import type { Database } from '../database/database.ts';
export interface NewAuditEntry {
  readonly personId?: string | undefined;
  /** Their e-mail address. */
  readonly person?: string | undefined;
  readonly via: string;
  readonly action: string;
  readonly projectId?: string | undefined;
  readonly target?: string | undefined;
  readonly outcome: string;
  readonly address?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}
export interface AuditQuery {
  readonly projectId?: string | undefined;
  /** Entries before this one; default: the newest. */
  readonly before?: number | undefined;
  readonly limit: number;
}
export declare function createAudit(database: Database): {
  append(entry: NewAuditEntry): Promise<void>;
  /** Newest first. */
  list: ({ projectId, before, limit }: AuditQuery) => Promise<AuditEntry[]>;
  /** JSON lines, oldest first. */
  export(projectId?: string | undefined): AsyncGenerator<string, void>;
};
