/**
 * The connection to PostgreSQL. A server that restarts is waited for: what was not sent is sent again, and so is what only reads. Other
 * statements that were cut off throw `ConnectionLost`; their outcome is unknown.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { CrewError } from '@crewagent/core';
import pg from 'pg';
import { createNotices, type Notices } from './notices.ts';

export type Parameter = string | number | bigint | boolean | Date | Buffer | null | readonly Parameter[];

export interface Queries {
  /** A statement that only reads, or that may be executed twice. */
  read<Row extends object>(sql: string, parameters?: readonly Parameter[]): Promise<Row[]>;
  write<Row extends object>(sql: string, parameters?: readonly Parameter[]): Promise<Row[]>;
}

export interface Database extends Queries {
  readonly url: string;
  /** All or nothing. `work` is not repeated; it gets the connection too, for libraries that write in the same transaction. */
  transaction<T>(work: (queries: Queries, connection: pg.ClientBase) => Promise<T>): Promise<T>;
  /** Runs `work` while no other process does so with the same lock. No transaction is open meanwhile. */
  withLock<T>(lock: number, work: () => Promise<T>): Promise<T>;
  readonly notices: Notices;
  close(): Promise<void>;
}

/** The connection was cut off while a statement was executed. */
export class ConnectionLost extends Error {}

export interface DatabaseOptions {
  /** Most connections at once. */
  readonly connections?: number;
  /** How long a server that does not answer is waited for. */
  readonly patienceMs?: number;
  /** How long a statement may take before its connection counts as lost; 0 for as long as it takes. */
  readonly statementMs?: number;
}

/** All tables are in a schema of ours, so that the database can be shared with other programs. */
export const SCHEMA = 'crewagent';

const CONNECT_TIMEOUT_MS = 10_000;

/** A process that is frozen in a transaction keeps its locks no longer than this. */
const IDLE_TRANSACTION_MS = 30_000;

/** A server that hangs, or a network that loses everything, is noticed by this: connections do not end by themselves. */
const STATEMENT_MS = 30_000;
const KEEP_ALIVE_AFTER_MS = 10_000;

const toSettings = (url: string, statementMs = STATEMENT_MS) => ({
  connectionString: url,
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
  query_timeout: statementMs,
  // The server ends what nobody waits for any more.
  statement_timeout: statementMs * 2,
  idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
  options: `-c search_path=${SCHEMA}`,
});

export function openPool(url: string, connections: number, statementMs?: number): pg.Pool {
  const pool = new pg.Pool({
    ...toSettings(url, statementMs),
    max: connections,
    idleTimeoutMillis: 30_000,
  });
  // An idle connection was lost; the next query opens another one.
  pool.on('error', () => undefined);
  // The server may end a connection in the moment in which the pool hands it out and nobody listens yet.
  pool.on('connect', (client) => void client.on('error', () => undefined));
  return pool;
}

export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const { connections = 10, patienceMs = 60_000, statementMs } = options;
  const pool = openPool(url, connections, statementMs);
  const notices = createNotices(toSettings(url, statementMs));

  const connect = async (): Promise<pg.PoolClient> => {
    const until = Date.now() + patienceMs;
    for (let delayMs = 50; ; delayMs = Math.min(delayMs * 2, 1_000)) {
      // Answers that are still being made when the server ends: nothing is wrong, and nobody waits for them.
      if (pool.ending) throw new CrewError('SERVER_STOPPING', 'The server is stopping. Try again later.');
      try {
        return await pool.connect();
      } catch (error) {
        if (!isConnectionError(error)) throw error;
        if (Date.now() > until) throw unavailable(url, error);
        await wait(delayMs);
      }
    }
  };
  /** `work` gets a connection that is not used by others meanwhile. */
  const use = async <T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    const client = await connect();
    let lost: Error | undefined;
    const onError = (error: Error): void => {
      lost = error;
    };
    client.on('error', onError);
    try {
      return await work(client);
    } catch (error) {
      if (isConnectionError(error)) lost = new ConnectionLost('the database was lost', { cause: error });
      throw lost ?? error;
    } finally {
      client.off('error', onError);
      client.release(lost);
    }
  };
  const write: Queries['write'] = (sql, parameters) => use((client) => execute(client, sql, parameters));
  return {
    url,
    notices,
    write,
    async read(sql, parameters) {
      for (;;)
        try {
          return await write(sql, parameters);
        } catch (error) {
          if (!(error instanceof ConnectionLost)) throw error;
        }
    },
    transaction: (work) =>
      use(async (client) => {
        const query: Queries['write'] = (sql, parameters) => execute(client, sql, parameters);
        await client.query('begin');
        try {
          const result = await work({ read: query, write: query }, client);
          await client.query('commit');
          return result;
        } catch (error) {
          if (!isConnectionError(error)) await client.query('rollback').catch(() => undefined);
          throw error;
        }
      }),
    withLock: (lock, work) =>
      use(async (client) => {
        // A statement that waits has a snapshot, and "create index concurrently" of the holder would wait for its end.
        while (!(await tryLock(client, lock))) await wait(LOCK_EVERY_MS);
        try {
          return await work();
        } finally {
          await client.query('select pg_advisory_unlock($1)', [lock]);
        }
      }),
    async close() {
      await notices.close();
      await pool.end();
    },
  };
}

const LOCK_EVERY_MS = 200;

async function tryLock(client: pg.PoolClient, lock: number): Promise<boolean> {
  const [row] = await execute<{ free: boolean }>(client, 'select pg_try_advisory_lock($1) as free', [lock]);
  return row?.free === true;
}

async function execute<Row extends object>(
  client: pg.PoolClient,
  sql: string,
  parameters: readonly Parameter[] = [],
): Promise<Row[]> {
  const values = [...parameters];
  const { rows } = await client.query<Row>(
    values.length === 0 ? sql : { name: nameOf(sql), text: sql, values },
  );
  return rows;
}

const names = new Map<string, string>();

/** Statements with parameters are parsed once per connection. There are few texts: values are never in them. */
function nameOf(sql: string): string {
  const known = names.get(sql) ?? `s${names.size}`;
  names.set(sql, known);
  return known;
}

/** Classes of states: connection exceptions, and a server that starts or stops. */
const LOST_STATES = /^(?:08|57P0)/;
const LOST_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

export function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string') return LOST_CODES.has(code) || LOST_STATES.test(code);
  // The driver has no codes for these.
  return /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered|Query read timeout)/.test(
    error.message,
  );
}

/** The message does not contain the password. */
function unavailable(url: string, cause: unknown): CrewError {
  const message = `The database at ${hostOf(url)} does not answer. Start it, or check the address.`;
  return new CrewError('DATABASE_UNAVAILABLE', message, { cause });
}

function hostOf(url: string): string {
  try {
    return new URL(url).host || 'the local socket';
  } catch {
    return 'the given address';
  }
}
