/**
 * A worker: takes advances from the queue and executes them in this process, as many at once as it has slots. Ends in order: stops its
 * turns at their next safe point, so that others continue them.
 */
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createRuntime } from '@crewagent/core';
import { VERSION } from '@crewagent/protocol/version';
import { openQuotas } from '../costs/open-quotas.ts';
import { openDatabase } from '../database/database.ts';
import { requireMigrated } from '../database/migrate.ts';
import { toModelEnvironment } from '../secrets/model-environment.ts';
import { openTeam, type TeamOptions } from '../store/open-team.ts';
import type { LeaseTiming } from '../works/leases.ts';
import { createDeltaSender } from '../works/live-events.ts';
import { type AdvanceParts, advance } from './advance.ts';
import { openAdvanceQueue, startWorkflows } from './advance-queue.ts';
import { createClaims } from './claims.ts';
import { startDispatch } from './dispatch.ts';
import { openKeyGate } from './key-gate.ts';
import { startRecovery } from './recover.ts';

export interface WorkerOptions extends Pick<TeamOptions, 'scratch' | 'keys'> {
  readonly databaseUrl: string;
  /** How many trees of Works it advances at once. */
  readonly slots?: number | undefined;
  readonly labels?: readonly string[] | undefined;
  /** Environment variables with API keys and model names. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly leaseTiming?: Partial<LeaseTiming> | undefined;
  /** For how long a slot waits for a provider. */
  readonly longestWaitMs?: number | undefined;
  /** How often abandoned Works are looked for. */
  readonly recoverEveryMs?: number | undefined;
  /** It took a tree of Works, or put it down after `ms`. */
  onAdvance?(rootId: string, ms: number | undefined): void;
  onBug(id: string, error: unknown): void;
  onWarning?(message: string): void;
}

export interface RunningWorker {
  readonly workerId: string;
  /** Takes no more Works and hands its own over. */
  stop(): Promise<void>;
}

const SLOTS = 8;
const SEEN_EVERY_MS = 5_000;
const LONGEST_WAIT_MS = 5_000;
/** How long turns have to end. */
const DRAIN_MS = 25_000;

export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { databaseUrl, slots = SLOTS, labels = [], env, onBug, onWarning = () => undefined } = options;
  const workerId = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  // Each open Work may wait for the database; some connections are for the rest.
  const database = openDatabase(databaseUrl, { connections: Math.min(slots + 4, 40) });
  await requireMigrated(database);
  const scratch = join(options.scratch, workerId);
  const { store, workspaces, current } = openTeam({
    ...options,
    database,
    scratch,
    cache: join(options.scratch, 'blobs'),
    holder: workerId,
  });
  const keyGate = await openKeyGate(database, workerId);
  const quota = await openQuotas(database);
  const runtime = createRuntime({
    keyGate,
    quota,
    storeRoot: join(scratch, 'store'),
    store,
    env: toModelEnvironment(env),
    // People answer on a page; a provider that asks for a long wait gets it without a slot.
    attendance: { isAttended: () => true, maxWaitMs: options.longestWaitMs ?? LONGEST_WAIT_MS },
    onBug,
    onWarning,
  });
  const queue = await openAdvanceQueue(database);
  const deltas = createDeltaSender(database);
  const draining = new AbortController();
  // Each slot listens.
  setMaxListeners(0, draining.signal);
  const parts: AdvanceParts = {
    database,
    runtime,
    claims: createClaims(database, workerId, options.leaseTiming),
    queue,
    workspaces,
    current,
    drain: draining.signal,
    onEvent: (event) => deltas.add(event),
    onBug,
  };
  const seen = await register(database, { workerId, slots, labels });
  const workflows = await startWorkflows({
    databaseUrl,
    workerId,
    async advance(claim) {
      const since = performance.now();
      options.onAdvance?.(claim.rootId, undefined);
      await advance(claim, parts);
      options.onAdvance?.(claim.rootId, Math.round(performance.now() - since));
    },
  });
  const { claims } = parts;
  const dispatch = startDispatch({ database, claims, slots, labels, execute: workflows.execute, onBug });
  const recovery = startRecovery(database, queue, onBug, options.recoverEveryMs);
  return {
    workerId,
    async stop() {
      await seen.drain();
      draining.abort();
      recovery.stop();
      await dispatch.stop();
      await workflows.close(DRAIN_MS);
      deltas.close();
      await queue.close();
      await seen.end();
      await runtime.close();
      keyGate.close();
      quota.close();
      await workspaces.close();
      await database.close();
      await rm(scratch, { recursive: true, force: true });
    },
  };
}

/** Tells people which workers there are. */
async function register(
  database: ReturnType<typeof openDatabase>,
  { workerId, slots, labels }: { workerId: string; slots: number; labels: readonly string[] },
) {
  await database.read(
    `insert into workers (worker_id, host, process, version, slots, labels) values ($1, $2, $3, $4, $5, $6)
     on conflict (worker_id) do nothing`,
    [workerId, hostname(), process.pid, VERSION, slots, labels],
  );
  const timer = setInterval(() => {
    void database
      .read('update workers set seen_at = now() where worker_id = $1', [workerId])
      .catch(() => undefined);
  }, SEEN_EVERY_MS).unref();
  return {
    drain: () => database.read('update workers set is_draining = true where worker_id = $1', [workerId]),
    async end() {
      clearInterval(timer);
      await database.read('delete from workers where worker_id = $1', [workerId]);
    },
  };
}
