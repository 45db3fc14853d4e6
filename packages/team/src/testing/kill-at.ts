/** For a driver: its process kills itself before a statement, so that a test knows what was stored when it died. */
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';

export interface KillAt {
  /** In the parameters of the statement. */
  readonly text: string;
  /** Before the text is committed, or after that and before the sender is told that it was accepted. */
  readonly moment: 'commit' | 'accepted';
}

/** Commands are executed late, so that the turn under way commits something after they were taken. */
const LATE_MS = 600;

type Query = (this: pg.Client, ...args: unknown[]) => unknown;

export function killAt({ text, moment }: KillAt): void {
  const prototype = pg.Client.prototype as unknown as { query: Query };
  const { query } = prototype;
  let isCommitted = false;
  const judge = (sql: string, values: string): void => {
    const isCommit = sql.includes('commit_work') && values.includes(text);
    const isAnswer = isCommitted && values.includes('"accepted"');
    if (moment === 'commit' ? isCommit : isAnswer) process.kill(process.pid, 'SIGKILL');
    isCommitted ||= isCommit;
  };
  prototype.query = function (...args) {
    const [config, given] = args as [string | { text: string; values?: unknown[] }, unknown];
    const sql = typeof config === 'string' ? config : config.text;
    judge(sql, JSON.stringify((typeof config === 'string' ? given : config.values) ?? []));
    const result = query.apply(this, args);
    if (!sql.includes("state = 'taken'") || !(result instanceof Promise)) return result;
    return result.then(async (rows: unknown) => {
      await wait(LATE_MS);
      return rows;
    });
  };
}
