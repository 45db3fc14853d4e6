import type { Database } from '../database/database.ts';
import type { SentCommand } from './commands.ts';
/** Workers with these labels take from this pool. */
export declare function queueOf(labels: readonly string[]): string;
/** Two processes at once would race. */
export declare function migrateQueue(database: Database): Promise<void>;
export type AdvanceQueue = Awaited<ReturnType<typeof openAdvanceQueue>>;
export declare function openAdvanceQueue(database: Database): Promise<{
  /** In the transaction that stores the command. */
  addFor: (
    { rootId, commandId }: SentCommand,
    connection: Parameters<
      <T extends (...args: any[]) => Promise<any>>(
        client: import('pg').ClientBase,
        options: import('@dbos-inc/dbos-sdk/internal/client').ClientEnqueueOptions,
        ...args: Parameters<T>
      ) => Promise<import('@dbos-inc/dbos-sdk').WorkflowHandle<Awaited<ReturnType<T>>>>
    >[0],
    urgency?: Urgency,
  ) => Promise<import('@dbos-inc/dbos-sdk').WorkflowHandle<any>>;
  /** `cause`: the same one adds nothing. */
  add: (
    rootId: string,
    cause: string,
    urgency?: Urgency,
  ) => Promise<import('@dbos-inc/dbos-sdk').WorkflowHandle<any>>;
  close: () => Promise<void>;
}>;
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
export declare function startQueueWorker({
  databaseUrl,
  workerId,
  slots,
  labels,
  advance,
}: QueueWorkerOptions): Promise<{
  /** Takes no more; waits for those that are under way. */
  close: (waitMs: number) => Promise<void>;
}>;
