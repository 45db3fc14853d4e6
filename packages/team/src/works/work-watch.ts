/**
 * Changes to all Works by any process. Asks for rows of transactions that were not complete at the last look, so that none is missed,
 * whatever order they are committed in.
 */
import type { ListedWork, WorkAddress, WorkWatch } from '@crewagent/core/store';
import type { WorkRecord } from '@crewagent/protocol/work';
import type { Database } from '../database/database.ts';
import { toAddressOf, WORKS_CHANNEL } from './work-rows.ts';

interface ChangedRow {
  readonly work_id: string;
  readonly project_id: string;
  readonly is_run: boolean;
  /** Null for a removed Work. */
  readonly record: string | null;
  readonly version: number;
}

export function createWorkWatch(database: Database): WorkWatch {
  const known = new Map<string, { readonly listed: ListedWork; readonly version: number }>();
  let mark = '0';

  const select = async (): Promise<ChangedRow[]> =>
    database.transaction(async ({ write }) => {
      await write('set transaction isolation level repeatable read, read only');
      const [snapshot] = await write<{ mark: string }>(
        'select pg_snapshot_xmin(pg_current_snapshot())::text as mark',
      );
      const rows = await write<ChangedRow>(
        `select work_id, project_id, is_run, record, version from works where changed >= $1::text::xid8
         union all
         select work_id, project_id, is_run, null, 0 from removed_works where changed >= $1::text::xid8`,
        [mark],
      );
      mark = snapshot?.mark ?? mark;
      return rows;
    });
  return {
    async poll() {
      const changed: ListedWork[] = [];
      const removed: WorkAddress[] = [];
      for (const row of await select()) {
        const before = known.get(row.work_id);
        const address = toAddressOf(row);
        if (row.record === null) {
          if (before) removed.push(address);
          known.delete(row.work_id);
        } else if (before?.version !== row.version) {
          const listed = { ...address, record: JSON.parse(row.record) as WorkRecord };
          known.set(row.work_id, { listed, version: row.version });
          changed.push(listed);
        }
      }
      return { changed, removed };
    },
    list: () =>
      [...known.values()].map(({ listed }) => listed).sort((a, b) => (a.workId < b.workId ? 1 : -1)),
    subscribe: (onChange) => database.notices.subscribe(WORKS_CHANNEL, onChange),
  };
}
