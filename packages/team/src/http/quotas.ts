/** Quotas of a team over HTTP. */
import { TEAM_ENDPOINTS } from '@crewagent/protocol/api/accounts';
import { mount, type Router } from '@crewagent/server/team';
import type { Identities } from '../access/identities.ts';
import { createQuotas } from '../costs/quotas.ts';
import type { Database } from '../database/database.ts';
import { requireIdentity } from './account-routes.ts';

export interface QuotaRoutes {
  readonly database: Database;
  readonly identities: Identities;
}

export function mountQuotas(router: Router, routes: QuotaRoutes): void {
  const quotas = createQuotas(routes.database);
  const endpoints = TEAM_ENDPOINTS.quotas;
  mount(router, endpoints.list, async ({ viewer }) => {
    const { isAdmin, person, roles } = requireIdentity(routes, viewer);
    return {
      quotas: isAdmin ? await quotas.listAll() : await quotas.listFor(person.personId, [...roles.keys()]),
    };
  });
  mount(router, endpoints.put, ({ body: { quota, ...subject } }) => quotas.set(subject, quota));
}
