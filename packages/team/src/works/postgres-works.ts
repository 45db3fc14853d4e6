/**
 * PostgreSQL adapter of the `WorkStore` port. Files of a Work are copied to the `scratch` folder while it is open; what its engine writes
 * is stored by one commit at a time (`held-work.ts`).
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openStoredJournal, readStoredImages, type WorkAddress, type WorkStore } from '@crewagent/core/store';
import { type JournalRecord, journalRecordSchema } from '@crewagent/protocol/journal';
import type { Blobs } from '../blobs/blobs.ts';
import type { Database } from '../database/database.ts';
import { adoptWorkRows, storeContents } from './adopt-work.ts';
import { createCommits } from './commits.ts';
import { createEventPages, createEventTail, lastSeqOf, openEventLog, readEventLog } from './event-log.ts';
import { createHeldViews } from './held-views.ts';
import { type HeldWork, holdWork } from './held-work.ts';
import { createLeases, type LeaseTiming } from './leases.ts';
import { createFollowing } from './live-events.ts';
import { createStateMounts } from './state-mounts.ts';
import { createStopRequests } from './stop-requests.ts';
import {
  childrenOf,
  createWorkRow,
  findWorkRow,
  listAddresses,
  listWorkRows,
  readWorkRow,
  removeWorkRows,
  updateWorkRow,
} from './work-rows.ts';
import { createWorkWatch } from './work-watch.ts';

export interface PostgresWorksOptions {
  readonly database: Database;
  readonly blobs: Blobs;
  /** Real folder of this process for files of Works. */
  readonly scratch: string;
  /** Who holds the leases of this process, for people. */
  readonly holder: string;
  readonly leaseTiming?: Partial<LeaseTiming> | undefined;
}

export function createPostgresWorks(options: PostgresWorksOptions): WorkStore {
  const { database, blobs, scratch, holder, leaseTiming } = options;
  const leases = createLeases(database, holder, leaseTiming);
  const commits = createCommits(database);
  const stops = createStopRequests(database);
  const follow = createFollowing(database);
  const held = new Map<string, HeldWork>();
  const state = createStateMounts({ database, blobs, scratch, held });
  const viewsOf = ({ workId }: WorkAddress): string => join(scratch, workId, 'views');
  const requireHeld = ({ workId }: WorkAddress): HeldWork => {
    const found = held.get(workId);
    if (found) return found;
    throw new Error(`the lease of the Work ${workId} is not held here`);
  };

  return {
    create: ((draft, maker) => createWorkRow(database, draft, maker)) as WorkStore['create'],
    read: ((address) => readWorkRow(database, address, leases.find(address.workId))) as WorkStore['read'],
    update: (address, change) => updateWorkRow(database, address, leases.find(address.workId), change),
    remove: (address, children) => removeWorkRows(database, address, children),
    children: (address) => childrenOf(database, address),

    addresses: (filter) => listAddresses(database, filter),
    list: (filter) => listWorkRows(database, filter),
    find: (workId) => findWorkRow(database, workId),
    watch: () => createWorkWatch(database),

    async lease(address) {
      const lease = await leases.take(address);
      const { workId } = address;
      const folder = viewsOf(address);
      const views = createHeldViews({ database, blobs, workId, epoch: lease.epoch, folder });
      try {
        await views.restore();
      } catch (error) {
        await leases.release(address);
        throw error;
      }
      held.set(workId, holdWork(address, lease, { commits, blobs, views }));
      return {
        async release() {
          const work = held.get(address.workId);
          try {
            if (work && !work.lease.isLost) await work.flush();
          } finally {
            await work?.close();
            if (held.get(address.workId) === work) held.delete(address.workId);
            await leases.release(address);
            await rm(join(scratch, address.workId), { recursive: true, force: true });
          }
        },
      };
    },
    isLeased: (address) => leases.isLeased(address),
    requestStop: (address) => stops.request(address),
    watchStop: (address, onStop) => stops.watch(address, onStop),
    // What was not committed is in no row.
    tidy: () => Promise.resolve(),
    async sweep() {
      // A reader that asks what is new has asked for it by then.
      await database.read(
        `delete from removed_works using (select pg_snapshot_xmin(pg_current_snapshot()) as oldest) as now
         where changed < oldest and not exists (select from works where works.work_id = removed_works.work_id)
           and (select count(*) from removed_works) > 100000`,
      );
    },

    openLog: (address, logOptions) => openEventLog(database, address, requireHeld(address), logOptions),
    readLog: ({ workId }, onEvent) => readEventLog(database, workId, onEvent),
    logMark: async ({ workId }) => (await lastSeqOf(database, workId))?.toString(),
    tailLog: ({ workId }) => createEventTail(database, follow, workId),
    pageLog: ({ workId }) => createEventPages(database, workId),

    stateFolder: (address) => state.folder(address),
    openState: (address) => state.openDocument(address),
    viewsFolder: viewsOf,
    async openJournal(address, journalOptions) {
      const work = requireHeld(address);
      await work.flush();
      return openStoredJournal(work.openJournal(await readJournal(database, address)), journalOptions);
    },
    async readImages(address, query) {
      await held.get(address.workId)?.flush();
      return readStoredImages(await readJournal(database, address), query, ({ sha256 }) => blobs.get(sha256));
    },
    async readJournal(address) {
      await held.get(address.workId)?.flush();
      return { records: await readJournal(database, address), read: (sha256) => blobs.get(sha256) };
    },
    async adopt(copy, { publishing = (publish: () => Promise<void>) => publish() } = {}) {
      const inline = await storeContents(copy, blobs);
      await publishing(() => database.transaction((queries) => adoptWorkRows(queries, copy, inline)));
    },
  };
}

async function readJournal(database: Database, { workId }: WorkAddress): Promise<JournalRecord[]> {
  const rows = await database.read<{ record: string }>(
    'select record from work_journal where work_id = $1 order by position',
    [workId],
  );
  return rows.map(({ record }) => journalRecordSchema.parse(JSON.parse(record)));
}
