/** The audit log: who did what, where, when, and how it ended. The database refuses to change or delete an entry. */
import type { AuditEntry } from '@crewagent/protocol/api/accounts';
import type { Database, Parameter } from '../database/database.ts';

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

const EXPORT_PAGE = 1_000;

export function createAudit(database: Database) {
  const read = async (where: string, parameters: readonly Parameter[]): Promise<AuditEntry[]> => {
    const rows = await database.read<AuditRow>(`select * from audit_log where ${where}`, parameters);
    return rows.map(toEntry);
  };
  return {
    async append(entry: NewAuditEntry): Promise<void> {
      const { personId, person, via, action, projectId, target, outcome, address, details } = entry;
      await database.write(
        `insert into audit_log (person_id, person, via, action, project_id, target, outcome, address, details)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
        [
          ...[personId ?? null, person ?? null, via, action, projectId ?? null, target ?? null],
          ...[outcome, address ?? null, details ? JSON.stringify(details) : null],
        ],
      );
    },
    /** Newest first. */
    list: ({ projectId, before, limit }: AuditQuery): Promise<AuditEntry[]> =>
      read(
        `($1::text is null or project_id = $1) and ($2::bigint is null or entry_id < $2)
         order by entry_id desc limit $3`,
        [projectId ?? null, before ?? null, limit],
      ),
    /** JSON lines, oldest first. */
    async *export(projectId?: string | undefined): AsyncGenerator<string, void> {
      for (let after = 0, isOver = false; !isOver; ) {
        const entries = await read(
          '($1::text is null or project_id = $1) and entry_id > $2 order by entry_id limit $3',
          [projectId ?? null, after, EXPORT_PAGE],
        );
        for (const entry of entries) yield `${JSON.stringify(entry)}\n`;
        isOver = entries.length < EXPORT_PAGE;
        after = entries.at(-1)?.entryId ?? after;
      }
    },
  };
}

interface AuditRow {
  /** The driver returns large integers as text. */
  readonly entry_id: string;
  readonly at: Date;
  readonly person_id: string | null;
  readonly person: string | null;
  readonly via: string;
  readonly action: string;
  readonly project_id: string | null;
  readonly target: string | null;
  readonly outcome: string;
  readonly address: string | null;
  readonly details: string | null;
}

function toEntry(row: AuditRow): AuditEntry {
  return {
    entryId: Number(row.entry_id),
    at: row.at.toISOString(),
    personId: row.person_id ?? undefined,
    person: row.person ?? undefined,
    via: row.via,
    action: row.action,
    projectId: row.project_id ?? undefined,
    target: row.target ?? undefined,
    outcome: row.outcome,
    address: row.address ?? undefined,
    details: row.details === null ? undefined : (JSON.parse(row.details) as Record<string, unknown>),
  };
}
