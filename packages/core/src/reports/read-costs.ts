/** What the Works of a store cost, by day, model, package and Work. */
import type { CostReport, NamedCost } from '@crewagent/protocol/api/costs';
import { addCostSums, type CostSum, NO_COST } from '@crewagent/protocol/costs';
import type { Store } from '../store/store.ts';
import { toAddress } from '../store/work-address.ts';
import type { ListedWork } from '../store/work-store.ts';
import { openTallyCache } from './tally-cache.ts';

export interface CostQuery {
  readonly days: number;
  /** Minutes ahead of UTC. */
  readonly utcOffset: number;
  readonly now: Date;
  /** For so long logs are read that are not in the cache. */
  readonly budgetMs: number;
  /** Default: all. */
  readonly projects?: ReadonlySet<string> | undefined;
}

const DAY_MS = 86_400_000;
const MAX_WORKS = 20;

type CostSums = Omit<CostReport, 'prices'>;

/** Reads the records of all Works, and the logs of those that changed since they were read last. */
export async function readCosts(store: Store, query: CostQuery): Promise<CostSums> {
  const firstDay = toDay(query.now.getTime() - (query.days - 1) * DAY_MS, query);
  const records = (await store.works.list())
    .flatMap(({ record }) => record ?? [])
    .filter(({ projectId }) => query.projects?.has(projectId) ?? true)
    // A log does not grow after its record has changed last, but for a moment.
    .filter(({ updatedAt }) => toDay(Date.parse(updatedAt) + DAY_MS, query) >= firstDay);
  const cache = await openTallyCache(store);
  const sums = createSums();
  const endsAt = performance.now() + query.budgetMs;
  let remaining = 0;
  for (const record of records) {
    const tally = await cache.get(toAddress(record), { mayRead: performance.now() < endsAt });
    if (!tally) remaining++;
    for (const [hour, models] of Object.entries(tally?.spent ?? {})) {
      const day = toDay(Date.parse(`${hour}:00Z`), query);
      if (day >= firstDay)
        for (const [model, cost] of Object.entries(models)) sums.add(record, { day, model, cost });
    }
  }
  await cache.save();
  return { ...sums.report(), remaining };
}

function toDay(ms: number, { utcOffset }: CostQuery): string {
  return new Date(ms + utcOffset * 60_000).toISOString().slice(0, 10);
}

type WorkRecord = NonNullable<ListedWork['record']>;

interface Spending {
  readonly day: string;
  readonly model: string;
  readonly cost: CostSum;
}

function createSums() {
  const by = {
    days: new Map<string, CostSum>(),
    models: new Map<string, CostSum>(),
    packages: new Map<string, CostSum>(),
  };
  const works = new Map<string, CostSum>();
  const opened = new Map<string, WorkRecord>();
  let total = NO_COST;
  const addTo = (sums: Map<string, CostSum>, name: string, cost: CostSum): void =>
    void sums.set(name, addCostSums(sums.get(name) ?? NO_COST, cost));
  return {
    add(record: WorkRecord, { day, model, cost }: Spending): void {
      total = addCostSums(total, cost);
      addTo(by.days, day, cost);
      addTo(by.models, model, cost);
      addTo(by.packages, packageOf(record), cost);
      const openedId = 'call' in record && record.call ? record.call.rootId : record.workId;
      addTo(works, openedId, cost);
      if (openedId === record.workId) opened.set(openedId, record);
    },
    report(): Omit<CostSums, 'remaining'> {
      const ranked = [...works].sort(([, a], [, b]) => compareCosts(a, b)).slice(0, MAX_WORKS);
      return {
        total,
        days: toNamed(by.days).sort((a, b) => (a.name < b.name ? 1 : -1)),
        models: toNamed(by.models).sort(compareCosts),
        packages: toNamed(by.packages).sort(compareCosts),
        works: ranked.flatMap(([workId, cost]) => {
          const record = opened.get(workId);
          return record ? [{ workId, projectId: record.projectId, title: titleOf(record), ...cost }] : [];
        }),
      };
    },
  };
}

function toNamed(sums: ReadonlyMap<string, CostSum>): NamedCost[] {
  return [...sums].map(([name, cost]) => ({ name, ...cost }));
}

/** The most expensive first; without prices, the most tokens. */
function compareCosts(a: CostSum, b: CostSum): number {
  const tokensOf = ({ promptTokens, completionTokens }: CostSum): number => promptTokens + completionTokens;
  return b.costUsd - a.costUsd || tokensOf(b) - tokensOf(a);
}

function packageOf(record: WorkRecord): string {
  return ('packageName' in record ? record.packageName : record.agent?.package.name) ?? '';
}

function titleOf(record: WorkRecord): string {
  return ('workflowTitle' in record ? record.workflowTitle : record.title) ?? '';
}
