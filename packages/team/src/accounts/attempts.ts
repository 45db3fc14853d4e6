/**
 * Limits for guessing, in the database, so that they hold for any number of servers. An attempt counts before its password is compared:
 * many at once are limited like many in a row.
 */
import { CrewError } from '@crewagent/core';
import type { Database } from '../database/database.ts';

export interface AttemptLimits {
  readonly windowSeconds: number;
  /** For one account from one address. */
  readonly perPair: number;
  /** For one account, from anywhere. Reached, it locks its owner out of passwords, so it is higher. */
  readonly perAccount: number;
  /** From one address, behind which an office may be. */
  readonly perAddress: number;
}

const LIMITS: AttemptLimits = { windowSeconds: 15 * 60, perPair: 10, perAccount: 50, perAddress: 100 };

export function createAttempts(database: Database, limits: AttemptLimits = LIMITS) {
  const { windowSeconds, perPair, perAccount, perAddress } = limits;
  return {
    /**
     * Counts an attempt; throws if there were too many. Without an account it counts for the address only. Call `succeeded` of the result
     * if it was the right password.
     */
    async begin(account: string | undefined, address: string): Promise<{ succeeded(): Promise<void> }> {
      const pair = `pair ${account} ${address}`;
      const ofAccount: [string, number][] =
        account === undefined
          ? []
          : [
              [pair, perPair],
              [`account ${account}`, perAccount],
            ];
      const most = new Map([...ofAccount, [`address ${address}`, perAddress]]);
      const subjects = [...most.keys()].sort();
      const rows = await database.write<{ subject: string; attempts: number; wait: number }>(
        `insert into sign_in_attempts as known (subject, attempts)
         select subject, 1 from unnest($1::text[]) as given (subject)
         on conflict (subject) do update set
           attempts = case when known.since < now() - make_interval(secs => $2) then 1 else known.attempts + 1 end,
           since = case when known.since < now() - make_interval(secs => $2) then now() else known.since end
         returning subject, attempts, ceil(extract(epoch from since + make_interval(secs => $2) - now()))::integer as wait`,
        [subjects, windowSeconds],
      );
      const over = rows.filter(({ subject, attempts }) => attempts > (most.get(subject) ?? 0));
      if (over.length > 0)
        throw new CrewError('TOO_MANY_ATTEMPTS', 'Too many failed attempts to sign in. Try again later.', {
          details: { retryAfterSeconds: Math.max(...over.map(({ wait }) => wait)) },
        });
      return {
        // The address keeps its count: somebody with one account may guess those of others.
        async succeeded() {
          await database.read('delete from sign_in_attempts where subject = $1', [pair]);
        },
      };
    },
    /** Removes what no longer counts. */
    async sweep(): Promise<void> {
      await database.read('delete from sign_in_attempts where since < now() - make_interval(secs => $1)', [
        windowSeconds,
      ]);
    },
  };
}
