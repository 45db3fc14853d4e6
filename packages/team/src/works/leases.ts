/**
 * Leases of Works: rows with the number of the lease (its epoch) and a time. Renewed while this process lives; one that was not renewed in
 * time can be taken by another process, and then everything its first holder writes is refused.
 */
import { CrewError } from '@crewagent/core';
import { nounOf, type WorkAddress, workNotFound } from '@crewagent/core/store';
import type { Database } from '../database/database.ts';
import { createRenewals, RENEWAL_TIMING, type RenewalTiming } from '../database/renewals.ts';

export interface Lease {
  readonly epoch: string;
  /** Number of the last event when the lease was taken. */
  readonly lastSeq: number;
  /** Number of commits when it was taken. */
  readonly commits: number;
  /** Another process has it by now. */
  isLost: boolean;
  /** The record as this process read or wrote it last; people may have changed it since. */
  row?: RecordRow | undefined;
}

export interface RecordRow {
  readonly record: string;
  readonly version: number;
}

export type LeaseTiming = RenewalTiming;

/** `holder`: who holds the leases, for people. */
export function createLeases(database: Database, holder: string, timing: Partial<LeaseTiming> = {}) {
  const { leaseMs, renewEveryMs } = { ...RENEWAL_TIMING, ...timing };
  const held = new Map<string, Lease>();

  const renew = async (): Promise<void> => {
    const all = [...held];
    const rows = await database.read<{ work_id: string }>(
      // Locks are taken in the order of commits, so that neither waits for the other in a circle. What was given up while this statement
      // was on its way stays given up.
      `with mine as (
         select work_id from work_heads join unnest($1::text[], $2::bigint[]) as held (work_id, epoch) using (work_id, epoch)
         where leased_until is not null
         order by work_id for update of work_heads)
       update work_heads set leased_until = now() + $3 * interval '1 ms' from mine
       where work_heads.work_id = mine.work_id
       returning work_heads.work_id`,
      [all.map(([workId]) => workId), all.map(([, { epoch }]) => epoch), leaseMs],
    );
    const renewed = new Set(rows.map((row) => row.work_id));
    for (const [workId, lease] of all) if (!renewed.has(workId)) lease.isLost = true;
  };
  const schedule = createRenewals(renewEveryMs, held, renew);
  return {
    /** The lease that this process holds. */
    find: (workId: string): Lease | undefined => held.get(workId),
    async take(address: WorkAddress): Promise<Lease> {
      const [row] = await database.write<{ epoch: string; last_seq: number; commits: number }>(
        `update work_heads set epoch = epoch + 1, holder = $3, leased_until = now() + $4 * interval '1 ms'
         from works
         where work_heads.work_id = $1 and works.work_id = $1 and works.is_run = $2
           and (leased_until is null or leased_until < now())
         returning epoch, last_seq, commits`,
        [address.workId, address.isRun, holder, leaseMs],
      );
      if (!row) throw (await exists(database, address)) ? locked(address) : workNotFound(address);
      const { epoch, last_seq: lastSeq, commits } = row;
      const lease: Lease = { epoch, lastSeq, commits, isLost: false };
      held.set(address.workId, lease);
      schedule();
      return lease;
    },
    async release({ workId }: WorkAddress): Promise<void> {
      const lease = held.get(workId);
      held.delete(workId);
      if (!lease) return;
      await database.read(
        'update work_heads set holder = null, leased_until = null where work_id = $1 and epoch = $2',
        [workId, lease.epoch],
      );
    },
    async isLeased({ workId }: WorkAddress): Promise<boolean> {
      const [row] = await database.read<{ leased: boolean | null }>(
        'select leased_until > now() as leased from work_heads where work_id = $1',
        [workId],
      );
      return row?.leased ?? false;
    },
  };
}

async function exists(database: Database, { workId, isRun }: WorkAddress): Promise<boolean> {
  const rows = await database.read('select from works where work_id = $1 and is_run = $2', [workId, isRun]);
  return rows.length > 0;
}

export function locked(address: Pick<WorkAddress, 'isRun'>): CrewError {
  const message = `A worker is working on this ${nounOf(address)}; wait for it, or stop it first.`;
  return new CrewError('RUN_LOCKED', message);
}

/** The work of another process goes on; nothing of this one was written. */
export function leaseLost(): CrewError {
  return new CrewError('RUN_LOCKED', 'Another worker has taken over; nothing more was written here.');
}
