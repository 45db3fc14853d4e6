/**
 * The connections that DBOS gets. It looks at its tables every second, whether there is something to do or not; here it waits for a
 * connection as long as nothing runs, and is let in every few seconds.
 */
import type pg from 'pg';
import { openPool } from '../database/database.ts';

const CONNECTIONS = 4;
/** What was delayed goes on this much later at most. */
const LET_IN_EVERY_MS = 5_000;

type OnConnect = Parameters<pg.Pool['connect']>[0];

export function openIdlePool(url: string) {
  const pool = openPool(url, CONNECTIONS);
  const connect = pool.connect.bind(pool) as (onConnect?: OnConnect) => unknown;
  // Open until the first call of `settle`, so that DBOS can start.
  let uses = 1;
  let open = (): void => undefined;
  let opened = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  const close = (): void => {
    opened = new Promise((resolve) => {
      open = resolve;
    });
    timer = setTimeout(() => {
      open();
      close();
    }, LET_IN_EVERY_MS).unref();
  };
  // Queries of the pool use it too, with a callback.
  pool.connect = ((onConnect?: OnConnect) =>
    uses > 0 ? connect(onConnect) : opened.then(() => connect(onConnect))) as pg.Pool['connect'];
  return {
    pool,
    /** Something runs: DBOS does not wait. */
    use(): void {
      uses++;
      clearTimeout(timer);
      open();
    },
    /** The counterpart of `use`, and of opening the pool. */
    settle(): void {
      uses--;
      if (uses === 0) close();
    },
  };
}
