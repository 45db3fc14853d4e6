/** What the Works of the store cost. */
import { knownPricesOf, readCosts } from '@crewagent/core';
import type { CostReport } from '@crewagent/protocol/api/costs';
import { ENDPOINTS } from '@crewagent/protocol/api/endpoints';
import type { ModelSettings } from '@crewagent/protocol/model';
import { mount, type Router } from '../mount.ts';
import { scopeOf } from '../security/access.ts';
import type { ServerParts } from '../server-parts.ts';

/** Logs are read for so long by each request; the page asks again while some are left. */
const BUDGET_MS = 1_000;

export function mountCosts(router: Router, { runtime, costs }: ServerParts): void {
  const read: NonNullable<ServerParts['costs']> =
    costs ??
    ((viewer, query) =>
      readCosts(runtime.store, {
        ...{ ...query, now: new Date(), budgetMs: BUDGET_MS, projects: scopeOf(viewer) },
      }));
  mount(router, ENDPOINTS.costs.show, async ({ viewer, query: { days = 30, utcOffset = 0 } }) => ({
    ...(await read(viewer, { days, utcOffset })),
    prices: toPrices(Object.values((await runtime.settings()).models)),
  }));
}

function toPrices(models: readonly ModelSettings[]): CostReport['prices'] {
  return models.flatMap((settings) => {
    const { model } = settings;
    if (settings.prices) return [{ model }];
    const known = knownPricesOf(settings);
    return known ? [{ model, list: { asOf: known.asOf, source: known.source } }] : [];
  });
}
