/**
 * The queues of advances (DBOS), one for each pool of workers. A server puts one in for each command that finds its tree unclaimed, in the
 * transaction of the command; workers take them out (`dispatch.ts`) and execute them as workflows.
 */
import { DBOS, DBOSClient } from '@dbos-inc/dbos-sdk';
import { type Database, openPool } from '../database/database.ts';
import type { Claim } from './claims.ts';
import type { SentCommand } from './commands.ts';
import { openIdlePool } from './idle-pool.ts';

const APPLICATION = 'crewagent';
/** Tables of DBOS. */
const QUEUE_SCHEMA = 'crewagent_queue';
const WORKFLOW = 'advance';
/** One version for all: an advance of one version of the program can be executed by another. */
const VERSION = '1';
const LOCK = 7_240_012;
const POOL = 'advances';

/** Something was put in. */
export const QUEUE_CHANNEL = 'crewagent_queue';

/** The pool of workers with these labels, sorted. No label has a plus. */
function poolOf(labels: readonly string[]): string {
  return [POOL, ...labels].join('+');
}

/** The labels of a pool. */
export function labelsIn(pool: string): string[] {
  return pool.split('+').slice(1);
}

/** A worker takes from every pool that asks for no other labels than its own. */
export function poolsFor(labels: readonly string[]): string[] {
  const sets: string[][] = [[]];
  for (const label of [...new Set(labels)].sort()) sets.push(...sets.map((set) => [...set, label]));
  return sets.map(poolOf);
}

/** Trees with an advance that nobody has taken out yet, by pool. */
export const QUEUED_BY_POOL = `
  select split_part(workflow_uuid, ':', 1) as root_id, queue_name as pool from ${QUEUE_SCHEMA}.workflow_status
  where status = 'ENQUEUED' and name = '${WORKFLOW}'`;

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
  const options = ({ rootId, labels }: Asked, cause: string, { priority, delaySeconds }: Urgency) => ({
    queueName: poolOf(labels),
    workflowName: WORKFLOW,
    workflowID: `${rootId}:${cause}`,
    appVersion: VERSION,
    ...(priority === undefined ? {} : { priority }),
    ...(delaySeconds === undefined ? {} : { delaySeconds }),
  });
  return {
    /** In the transaction that stores the command. */
    async addFor(
      sent: SentCommand,
      connection: Parameters<typeof client.enqueueInTransaction>[0],
      urgency: Urgency = {},
    ): Promise<void> {
      await client.enqueueInTransaction(connection, options(sent, sent.commandId, urgency), sent.rootId);
      await connection.query(`notify ${QUEUE_CHANNEL}`);
    },
    /** `cause`: the same one adds nothing. */
    async add(rootId: string, cause: string, urgency: Urgency = {}): Promise<void> {
      const [row] = await database.read<{ labels: string[] }>('select labels_of($1) as labels', [rootId]);
      await client.enqueue(options({ rootId, labels: row?.labels ?? [] }, cause, urgency), rootId);
      await database.read(`notify ${QUEUE_CHANNEL}`);
    },
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

type Asked = Pick<SentCommand, 'rootId' | 'labels'>;

export interface Urgency {
  /** The smaller, the sooner. */
  readonly priority?: number | undefined;
  readonly delaySeconds?: number | undefined;
}

export interface WorkflowOptions {
  readonly databaseUrl: string;
  readonly workerId: string;
  advance(claim: Claim): Promise<unknown>;
}

/**
 * Executes advances as workflows of DBOS, which is one per process. It listens to no queue: the limits of its queues are shared by all
 * workers, so that slots, labels and fair shares of one worker cannot be told to it.
 */
export async function startWorkflows({ databaseUrl, workerId, advance }: WorkflowOptions) {
  const { pool, use, settle } = openIdlePool(databaseUrl);
  DBOS.setConfig({
    name: APPLICATION,
    systemDatabaseUrl: databaseUrl,
    systemDatabaseSchemaName: QUEUE_SCHEMA,
    systemDatabasePool: pool,
    applicationVersion: VERSION,
    executorID: workerId,
    listenQueues: [],
    // Nothing here receives messages of DBOS, which it would look for a hundred times a second.
    useListenNotify: false,
    logger: quiet,
  });
  const run = async (rootId: string, epoch: string): Promise<void> => void (await advance({ rootId, epoch }));
  const workflow = DBOS.registerWorkflow(run, { name: WORKFLOW });
  await DBOS.launch();
  settle();
  return {
    /** Resolves when the advance has ended; rejects if it could not begin. */
    async execute({ rootId, epoch }: Claim): Promise<void> {
      use();
      try {
        const handle = await DBOS.startWorkflow(workflow, { workflowID: `${rootId}:claim-${epoch}` })(
          rootId,
          epoch,
        );
        await handle.getResult().catch(() => undefined);
      } finally {
        settle();
      }
    },
    /** Waits for those that are under way. */
    async close(waitMs: number): Promise<void> {
      use();
      await DBOS.shutdown({ workflowCompletionTimeoutMS: waitMs, deregister: true });
      await pool.end();
    },
  };
}
