/** Records of Works as rows: created, read, changed, removed and listed. */

import { CrewError } from '@crewagent/core';
import {
  checkWork,
  type ListedWork,
  type RunAddress,
  runBeside,
  sha256Of,
  toAddress,
  toNewWork,
  type WorkAddress,
  type WorkDraft,
  type WorkFilter,
  type WorkMaker,
  workNotFound,
} from '@crewagent/core/store';
import type { RunEvent } from '@crewagent/protocol/events';
import type { WorkRecord } from '@crewagent/protocol/work';
import { ConnectionLost, type Database, type Queries } from '../database/database.ts';
import { type Lease, leaseLost, locked, type RecordRow } from './leases.ts';

export const WORKS_CHANNEL = 'crewagent_works';

export async function createWorkRow(
  database: Database,
  draft: WorkDraft,
  maker: WorkMaker,
): Promise<WorkRecord> {
  const { record, state, firstFacts } = await toNewWork(draft, maker);
  const { now, publishing = (act) => act() } = maker;
  const { projectId, workId, isRun } = toAddress(record);
  const events = firstFacts.map((fact, index) => {
    const event = { v: 1, seq: index + 1, ts: now().toISOString(), runId: workId, ...fact } as RunEvent;
    return JSON.stringify(event);
  });
  const document = state === undefined ? null : Buffer.from(state);
  await publishing(async () => {
    await database.write(
      `with made as (
         insert into works (work_id, project_id, root_id, parent_id, call_root_id, is_run, package_hash, phase, record)
         values ($1, $2, coalesce((select root_id from works where work_id = $3), $1), $3, $4, $5, $6, $7, $8)),
       head as (insert into work_heads (work_id, last_seq) values ($1, cardinality($9::text[]))),
       events as (
         insert into work_events (work_id, seq, epoch, event)
         select $1, added.position, 0, added.event
         from unnest($9::text[]) with ordinality as added (event, position)),
       state as (
         insert into state_files (work_id, path, content, sha256)
         select $1, 'workflow.md', $10::bytea, $11 where $10::bytea is not null)
       select pg_notify('${WORKS_CHANNEL}', $1)`,
      [
        workId,
        projectId,
        record.parentId ?? null,
        record.workflowRef === undefined ? null : (record.call?.rootId ?? null),
        isRun,
        packageOf(record),
        record.phase,
        JSON.stringify(record),
        events,
        document,
        document && sha256Of(document),
      ],
    );
  });
  return record;
}

export function packageOf(record: WorkRecord): string | null {
  if (record.workflowRef !== undefined) return record.packageHash;
  return record.agent?.package.hash ?? null;
}

async function readRow(database: Queries, address: WorkAddress): Promise<RecordRow> {
  const { workId, projectId, isRun } = address;
  const [row] = await database.read<RecordRow>(
    'select record, version from works where work_id = $1 and project_id = $2 and is_run = $3',
    [workId, projectId, isRun],
  );
  if (!row) throw workNotFound(address);
  return row;
}

export async function readWorkRow(
  database: Queries,
  address: WorkAddress,
  lease?: Lease,
): Promise<WorkRecord> {
  const row = await readRow(database, address);
  if (lease) lease.row = row;
  return JSON.parse(row.record) as WorkRecord;
}

/** `lease`: that this process holds. It begins with the record that it knows, and reads it again if that was changed. */
export async function updateWorkRow<Entry extends WorkRecord>(
  database: Database,
  address: WorkAddress,
  lease: Lease | undefined,
  change: (record: Entry) => Entry,
): Promise<Entry> {
  for (;;) {
    const known = lease?.row;
    const row = known ?? (await readRow(database, address));
    const record = JSON.parse(row.record) as Entry;
    const changed = change(record);
    if (lease) lease.row = undefined;
    if (changed === record) {
      if (known) continue;
      return record;
    }
    const next = checkWork(changed);
    const written = await writeRow(database, next, row.version, lease?.epoch);
    if (written) {
      if (lease) lease.row = written;
      return next;
    }
    if (lease && !(await hasEpoch(database, address, lease.epoch))) throw leaseLost();
  }
}

/** Undefined if another process changed it, or if the lease was lost. */
async function writeRow(
  database: Database,
  record: WorkRecord,
  version: number,
  epoch: string | undefined,
): Promise<RecordRow | undefined> {
  const written = { record: JSON.stringify(record), version: version + 1 };
  try {
    const rows = await database.write(
      `with head as (
         select work_id from work_heads where work_id = $1 and ($5::bigint is null or epoch = $5) for share),
       written as (
         update works
         set record = $2, version = version + 1, phase = $4, package_hash = $6, changed = pg_current_xact_id()
         from head where works.work_id = head.work_id and works.version = $3
         returning works.work_id)
       select pg_notify('${WORKS_CHANNEL}', work_id) from written`,
      [record.workId, written.record, version, record.phase, epoch ?? null, packageOf(record)],
    );
    return rows.length > 0 ? written : undefined;
  } catch (error) {
    if (!(error instanceof ConnectionLost)) throw error;
    const found = await readRow(database, toAddress(record));
    return found.version === written.version && found.record === written.record ? written : undefined;
  }
}

async function hasEpoch(database: Queries, { workId }: WorkAddress, epoch: string): Promise<boolean> {
  const rows = await database.read('select from work_heads where work_id = $1 and epoch = $2', [
    workId,
    epoch,
  ]);
  return rows.length > 0;
}

export async function removeWorkRows(
  database: Database,
  address: WorkAddress,
  known: readonly RunAddress[] | undefined,
): Promise<void> {
  await database.transaction(async (queries) => {
    const children = known ?? (await childrenOf(queries, address));
    const ids = [address.workId, ...children.map(({ workId }) => workId)];
    const heads = await queries.write<{ work_id: string; leased: boolean | null }>(
      'select work_id, leased_until > now() as leased from work_heads where work_id = any($1::text[]) for update',
      [ids],
    );
    if (!heads.some(({ work_id: id }) => id === address.workId)) throw workNotFound(address);
    if (heads.some(({ leased }) => leased)) throw locked(address);
    await queries.write(
      `with gone as (
         delete from works where work_id = any($1::text[]) returning work_id, project_id, is_run)
       insert into removed_works (work_id, project_id, is_run) select work_id, project_id, is_run from gone
       on conflict do nothing`,
      [ids],
    );
    await queries.write(`select pg_notify('${WORKS_CHANNEL}', $1)`, [address.workId]);
  });
}

interface AddressRow {
  readonly work_id: string;
  readonly project_id: string;
  readonly is_run: boolean;
}

/** Runs started in the Work, and those called by them, at any depth. */
export async function childrenOf(database: Queries, address: WorkAddress): Promise<RunAddress[]> {
  const rows = await database.read<AddressRow>(
    `with owned as (select work_id from works where parent_id = $1 and is_run)
     select work_id, project_id, is_run from works
     where is_run and work_id <> $1
       and (work_id in (select work_id from owned) or call_root_id = $1
         or call_root_id in (select work_id from owned))
     order by work_id`,
    [address.workId],
  );
  return rows.map((row) => runBeside(address, row.work_id));
}

export function toAddressOf(row: AddressRow): WorkAddress {
  return { projectId: row.project_id, workId: row.work_id, isRun: row.is_run };
}

export async function listAddresses(
  database: Queries,
  { projectId, isRun }: WorkFilter = {},
): Promise<WorkAddress[]> {
  const rows = await database.read<AddressRow>(
    `select work_id, project_id, is_run from works
     where ($1::text is null or project_id = $1) and ($2::boolean is null or is_run = $2)
     order by work_id desc`,
    [projectId ?? null, isRun ?? null],
  );
  return rows.map(toAddressOf);
}

export async function listWorkRows(
  database: Queries,
  { projectId, isRun }: WorkFilter = {},
): Promise<ListedWork[]> {
  const rows = await database.read<AddressRow & RecordRow>(
    `select work_id, project_id, is_run, record from works
     where ($1::text is null or project_id = $1) and ($2::boolean is null or is_run = $2)
     order by work_id desc`,
    [projectId ?? null, isRun ?? null],
  );
  return rows.map((row) => ({ ...toAddressOf(row), record: JSON.parse(row.record) as WorkRecord }));
}

export async function findWorkRow(database: Queries, workId: string): Promise<WorkAddress> {
  const [row] = await database.read<AddressRow>(
    'select work_id, project_id, is_run from works where work_id = $1',
    [workId],
  );
  if (row) return toAddressOf(row);
  throw new CrewError('WORK_NOT_FOUND', 'There is no run or conversation with this id any more.');
}
