/**
 * The queue of advances (DBOS). A server puts one in for each command that finds its tree unclaimed, in the transaction of the command;
 * workers take them out, as many at once as they have slots.
 */
import { DBOS, DBOSClient } from '@dbos-inc/dbos-sdk';
import { type Database, openPool } from '../database/database.ts';
import type { SentCommand } from './commands.ts';

const APPLICATION = 'crewagent';
/** Tables of DBOS. */
const QUEUE_SCHEMA = 'crewagent_queue';
const WORKFLOW = 'advance';
/** One version for all: an advance of one version of the program can be executed by another. */
const VERSION = '1';
const POLL_MS = 100;
const LOCK = 7_240_012;

/** Workers with these labels take from this pool. */
export function queueOf(labels: readonly string[]): string {
  return ['advances', ...[...labels].sort()].join('-');
}

/** Trees with an advance that nobody has taken out yet. */
export const QUEUED_ROOTS = `
  select split_part(workflow_uuid, ':', 1) as root_id from ${QUEUE_SCHEMA}.workflow_status
  where status in ('ENQUEUED', 'DELAYED') and name = '${WORKFLOW}'`;

/** Two processes at once would race. */
export async function migrateQueue(database: Database): Promise<void> {
  await database.withLock(LOCK, () => DBOS.migrate(database.url, { schemaName: QUEUE_SCHEMA }));
}

const quiet = { info() {}, debug() {}, warn() {}, error() {} };

export type AdvanceQueue = Awaited<ReturnType<typeof openAdvanceQueue>>;

export async function openAdvanceQueue(database: Database) {
  const pool = openPool(database.url, 2);
  const client = await DBOSClient.create({
    systemDatabaseUrl: database.url,
    systemDatabaseSchemaName: QUEUE_SCHEMA,
    systemDatabasePool: pool,
    applicationName: APPLICATION,
    logger: quiet,
  });
  const options = (rootId: string, cause: string, { priority, delaySeconds }: Urgency) => ({
    queueName: queueOf([]),
    workflowName: WORKFLOW,
    workflowID: `${rootId}:${cause}`,
    appVersion: VERSION,
    ...(priority === undefined ? {} : { priority }),
    ...(delaySeconds === undefined ? {} : { delaySeconds }),
  });
  return {
    /** In the transaction that stores the command. */
    addFor: (
      { rootId, commandId }: SentCommand,
      connection: Parameters<typeof client.enqueueInTransaction>[0],
      urgency: Urgency = {},
    ) => client.enqueueInTransaction(connection, options(rootId, commandId, urgency), rootId),
    /** `cause`: the same one adds nothing. */
    add: (rootId: string, cause: string, urgency: Urgency = {}) =>
      client.enqueue(options(rootId, cause, urgency), rootId),
    /** Advances that workers took out and never ended: theirs have died. Those of \`alive\` are under way. */
    async cancelAbandoned(alive: readonly string[], before: Date): Promise<void> {
      const pending = await client.listWorkflows({
        status: 'PENDING',
        dequeuedBefore: before.toISOString(),
        limit: 1_000,
        loadInput: false,
        loadOutput: false,
      });
      const ids = pending
        .filter(({ executorId }) => !alive.includes(executorId ?? ''))
        .map((it) => it.workflowID);
      if (ids.length > 0) await client.cancelWorkflows(ids);
    },
    /** Deletes what is known of advances that ended. */
    async forgetEnded(before: Date): Promise<void> {
      const ended = await client.listWorkflows({
        status: ['SUCCESS', 'ERROR', 'CANCELLED'],
        completedBefore: before.toISOString(),
        limit: 1_000,
        loadInput: false,
        loadOutput: false,
      });
      if (ended.length > 0) await client.deleteWorkflows(ended.map((it) => it.workflowID));
    },
    async close(): Promise<void> {
      await client.destroy();
      await pool.end();
    },
  };
}

export interface Urgency {
  /** The smaller, the sooner. */
  readonly priority?: number | undefined;
  readonly delaySeconds?: number | undefined;
}

export interface QueueWorkerOptions {
  readonly databaseUrl: string;
  readonly workerId: string;
  readonly slots: number;
  readonly labels: readonly string[];
  advance(rootId: string): Promise<unknown>;
}

/** Takes advances out of the queue. DBOS is one per process. */
export async function startQueueWorker({
  databaseUrl,
  workerId,
  slots,
  labels,
  advance,
}: QueueWorkerOptions) {
  const pool = openPool(databaseUrl, 4);
  DBOS.setConfig({
    name: APPLICATION,
    systemDatabaseUrl: databaseUrl,
    systemDatabaseSchemaName: QUEUE_SCHEMA,
    systemDatabasePool: pool,
    applicationVersion: VERSION,
    executorID: workerId,
    logger: quiet,
  });
  const run = async (rootId: string): Promise<void> => void (await advance(rootId));
  DBOS.registerWorkflow(run, { name: WORKFLOW });
  await DBOS.launch();
  const queues = [...new Set([queueOf([]), ...labels.map((label) => queueOf([label]))])];
  for (const name of queues)
    await DBOS.registerQueue(name, {
      workerConcurrency: slots,
      minPollingIntervalMs: POLL_MS,
      onConflict: 'always_update',
    });
  return {
    /** Takes no more; waits for those that are under way. */
    async close(waitMs: number): Promise<void> {
      await DBOS.shutdown({ workflowCompletionTimeoutMS: waitMs, deregister: true });
      await pool.end();
    },
  };
}
