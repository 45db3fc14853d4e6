/**
 * Claims: which worker advances a tree of Works. Renewed while the worker lives; one that was not renewed in time can be taken by another.
 */
import type { Database } from '../database/database.ts';
import { createRenewals, RENEWAL_TIMING, type RenewalTiming } from '../database/renewals.ts';

export interface Claim {
  readonly rootId: string;
  readonly epoch: string;
}

export function createClaims(database: Database, workerId: string, timing: Partial<RenewalTiming> = {}) {
  const { leaseMs, renewEveryMs } = { ...RENEWAL_TIMING, ...timing };
  const held = new Map<string, Claim>();

  const renew = async (): Promise<void> => {
    const all = [...held.values()];
    await database.read(
      `update claims set claimed_until = now() + $3 * interval '1 ms'
       from unnest($1::text[], $2::bigint[]) as mine (root_id, epoch)
       where claims.root_id = mine.root_id and claims.epoch = mine.epoch
         -- Not one that was given up while this statement was on its way.
         and claimed_until is not null`,
      [all.map(({ rootId }) => rootId), all.map(({ epoch }) => epoch), leaseMs],
    );
  };
  const schedule = createRenewals(renewEveryMs, held, renew);
  const hold = (rootId: string, epoch: string): Claim => {
    const claim = { rootId, epoch };
    held.set(rootId, claim);
    schedule();
    return claim;
  };
  const forget = ({ rootId, epoch }: Claim): void => {
    if (held.get(rootId)?.epoch === epoch) held.delete(rootId);
  };
  /** Gives the claim up, whatever is left to do. */
  const drop = async (claim: Claim): Promise<void> => {
    forget(claim);
    await database.read('update claims set claimed_until = null where root_id = $1 and epoch = $2', [
      claim.rootId,
      claim.epoch,
    ]);
  };
  return {
    /** The next trees in the queues of these pools, at most so many, by fair shares. */
    async takeNext(pools: readonly string[], limit: number): Promise<Claim[]> {
      const rows = await database.write<{ taken_root: string; taken_epoch: string }>(
        'select taken_root, taken_epoch from take_trees($1, $2, $3, $4)',
        [workerId, pools, limit, leaseMs],
      );
      const taken: Claim[] = [];
      // This worker lost an earlier claim and does not know it yet.
      for (const { taken_root: rootId, taken_epoch: epoch } of rows)
        if (held.has(rootId)) await drop({ rootId, epoch });
        else taken.push(hold(rootId, epoch));
      return taken;
    },
    /**
     * Undefined while another worker has it. Ends the leases of a worker that did not renew its claim: they may have been renewed a moment
     * after the claim, and whatever their holder writes is refused as soon as they are taken again.
     */
    async take(rootId: string): Promise<Claim | undefined> {
      if (held.has(rootId)) return undefined;
      const [row] = await database.write<{ epoch: string }>(TAKE, [rootId, workerId, leaseMs]);
      return row && hold(rootId, row.epoch);
    },
    /** False if commands came meanwhile: the claim goes on. */
    async end({ rootId, epoch }: Claim): Promise<boolean> {
      const [row] = await database.write<{ ended: boolean }>('select end_claim($1, $2) as ended', [
        rootId,
        epoch,
      ]);
      const isEnded = row?.ended === true;
      if (isEnded) forget({ rootId, epoch });
      return isEnded;
    },
    drop,
  };
}

const TAKE = `
with abandoned as (select root_id from claims where root_id = $1 and claimed_until < now()),
taken as (
  insert into claims (root_id, worker_id, epoch, claimed_until)
  select work_id, $2, 1, now() + $3 * interval '1 ms' from works where work_id = $1
  on conflict (root_id) do update
  set worker_id = excluded.worker_id, epoch = claims.epoch + 1, claimed_until = excluded.claimed_until,
    person = null, project_id = null
  where claims.claimed_until is null or claims.claimed_until < now()
  returning root_id, epoch),
ended as (
  update work_heads set leased_until = null
  from abandoned join taken using (root_id) join works using (root_id)
  where work_heads.work_id = works.work_id)
select epoch from taken`;

export type Claims = ReturnType<typeof createClaims>;

/** Whoever adds a command, and whoever ends a claim, waits for the other. */
export async function lockRoot({ write }: Pick<Database, 'write'>, rootId: string): Promise<void> {
  await write('select pg_advisory_xact_lock(hashtextextended($1, 1))', [rootId]);
}
