/** What operators ask of a server: whether its process lives, whether it can answer, and figures in the text format of Prometheus. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import type { Router } from '@crewagent/server/team';
import type { Database } from '../database/database.ts';
import { requireMigrated } from '../database/migrate.ts';
import { readWorkers } from './activity.ts';

export interface HealthOptions {
  readonly database: Database;
  /** Without it there are no figures for anybody. */
  readonly metricsToken?: string | undefined;
}

const READY_MS = 2_000;
const TEXT = { 'content-type': 'text/plain; charset=utf-8' };

/** Returns a function that ends its timer. */
export function mountHealth({ app }: Pick<Router, 'app'>, options: HealthOptions): () => void {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  const { metricsToken } = options;
  app.get('/healthz', () => new Response('ok\n', { headers: TEXT }));
  app.get('/readyz', async () => {
    const isReady = await isAnswering(options.database);
    return new Response(isReady ? 'ok\n' : 'The database does not answer.\n', {
      status: isReady ? 200 : 503,
      headers: TEXT,
    });
  });
  app.get('/metrics', async (c) => {
    const given = /^Bearer (\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
    if (!metricsToken || given === undefined || !isSame(given, metricsToken))
      return new Response('Not found.\n', { status: 404, headers: TEXT });
    const text = await readMetrics(options.database, delay.percentile(99) / 1e9);
    delay.reset();
    return new Response(text, { headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' } });
  });
  return () => void delay.disable();
}

/** Whether the database answers soon and has the schema of this version. It waits for one that restarts, so there is a limit. */
async function isAnswering(database: Database): Promise<boolean> {
  const given = new AbortController();
  const late = wait(READY_MS, false, { signal: given.signal }).catch(() => false);
  const answer = requireMigrated(database).then(
    () => true,
    () => false,
  );
  const isReady = await Promise.race([answer, late]);
  given.abort();
  return isReady;
}

function isSame(one: string, other: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(one), hash(other));
}

async function readMetrics(database: Database, lagSeconds: number): Promise<string> {
  const [workers, [queue], phases] = await Promise.all([
    readWorkers(database),
    database.read<{ open: number; age: number }>(
      `select count(*)::integer as open, coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as age
       from commands where state = 'queued'`,
    ),
    database.read<{ phase: string; count: number }>(
      'select phase, count(*)::integer as count from works group by phase order by phase',
    ),
  ]);
  const alive = workers.filter(({ isLost }) => !isLost);
  const sumOf = (pick: (worker: (typeof alive)[number]) => number): number =>
    alive.reduce((sum, worker) => sum + pick(worker), 0);
  const byPhase = phases.map(({ phase, count }): [string, number] => [`{phase="${phase}"}`, count]);
  return [
    toMetric('workers', 'Workers that report.', alive.length),
    toMetric(
      'worker_slots',
      'Works that all workers can execute at once.',
      sumOf(({ slots }) => slots),
    ),
    toMetric(
      'worker_slots_busy',
      'Works that workers execute now.',
      sumOf(({ busy }) => busy),
    ),
    toMetric('queued_commands', 'Commands that no worker has taken.', queue?.open ?? 0),
    toMetric('queued_oldest_seconds', 'Age of the oldest of them.', queue?.age ?? 0),
    toMetric('works', 'Works by phase.', byPhase),
    toMetric('process_memory_bytes', 'Memory of this server.', process.memoryUsage.rss()),
    toMetric(
      'event_loop_lag_seconds',
      'Delay of timers since the last request, 99th percentile.',
      Number.isFinite(lagSeconds) ? lagSeconds : 0,
    ),
  ].join('');
}

function toMetric(name: string, help: string, values: number | readonly [labels: string, value: number][]) {
  const rows = typeof values === 'number' ? [['', values] as const] : values;
  const full = `crewagent_${name}`;
  const lines = rows.map(([labels, value]) => `${full}${labels} ${value}\n`);
  return `# HELP ${full} ${help}\n# TYPE ${full} gauge\n${lines.join('')}`;
}
