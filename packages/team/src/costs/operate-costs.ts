/** Costs and quotas for operators on a terminal, who have the database. What they change is in the audit log. */
import { CrewError } from '@crewagent/core';
import type { QuotaLimits, ShownQuota } from '@crewagent/protocol/api/quotas';
import { createAudit } from '../accounts/audit.ts';
import type { Database } from '../database/database.ts';
import { useDatabase } from '../database/use-database.ts';
import { createQuotas, type QuotaSubject } from './quotas.ts';
import { readTeamCosts, type TeamCostQuery } from './read-costs.ts';

export function readCostsOf(databaseUrl: string, query: TeamCostQuery) {
  return useDatabase(databaseUrl, (database) => readTeamCosts(database, query));
}

export function listQuotas(databaseUrl: string): Promise<ShownQuota[]> {
  return useDatabase(databaseUrl, (database) => createQuotas(database).listAll());
}

/** Neither: the default of the team. */
export interface NamedSubject {
  /** By e-mail address. */
  readonly person?: string | undefined;
  /** By name or id. */
  readonly project?: string | undefined;
}

/** Without limits it is removed. */
export function setQuota(
  databaseUrl: string,
  named: NamedSubject,
  limits: QuotaLimits | undefined,
): Promise<ShownQuota[]> {
  return useDatabase(databaseUrl, async (database) => {
    const quotas = createQuotas(database);
    const subject = await findSubject(database, named);
    await quotas.set(subject, limits);
    const entry = { via: 'command', action: 'quotas.put', outcome: 'allowed' };
    await createAudit(database).append({ ...entry, details: { ...subject, quota: limits } });
    return quotas.listAll();
  });
}

async function findSubject(database: Database, { person, project }: NamedSubject): Promise<QuotaSubject> {
  if (person === undefined && project === undefined) return { kind: 'default' };
  const kind = person === undefined ? 'project' : 'person';
  const rows = await database.read<{ id: string }>(
    kind === 'person'
      ? 'select person_id as id from people where lower(email) = lower($1)'
      : "select project_id as id from projects where project_id = $1 or document::json ->> 'name' = $1",
    [person ?? project ?? ''],
  );
  const [found, another] = rows;
  if (found && !another) return { kind, subjectId: found.id };
  const name = person ?? project ?? '';
  const message = found
    ? `Several projects are called "${name}"; give the id of one of them.`
    : kind === 'person'
      ? `Nobody of the team has the e-mail address "${name}".`
      : `The team has no project "${name}".`;
  throw new CrewError(found ? 'USAGE' : 'NOT_FOUND', message);
}
