/**
 * Stores a Work of another store in rows. A copy that is there is replaced in place: its lease gets another number, so that whoever held it
 * writes nothing more.
 */
import { checkWork, toAddress, type WorkCopy, workNotFound } from '@crewagent/core/store';
import type { Blobs } from '../blobs/blobs.ts';
import type { Queries } from '../database/database.ts';
import { locked } from './leases.ts';
import { INLINE_BYTES } from './state-files.ts';
import { packageOf, WORKS_CHANNEL } from './work-rows.ts';

/** Contents of `@state` that are in the rows themselves, by hash. */
type Inline = ReadonlyMap<string, Buffer>;

/** Before the transaction, which waits for no content. */
export async function storeContents(copy: WorkCopy, blobs: Blobs): Promise<Inline> {
  const inline = new Map<string, Buffer>();
  const isState = new Set(copy.state.values());
  for (const sha256 of new Set([...isState, ...copy.images])) {
    const content = await copy.read(sha256);
    if (isState.has(sha256) && content.length <= INLINE_BYTES) inline.set(sha256, content);
    await blobs.put(new Map([[sha256, content]]));
  }
  return inline;
}

/** The parent of a Work comes before it. */
export async function adoptWorkRows(queries: Queries, copy: WorkCopy, inline: Inline): Promise<void> {
  const record = checkWork(copy.record);
  const address = toAddress(record);
  const { workId } = record;
  const [head] = await queries.write<{ leased: boolean | null }>(
    'select leased_until > now() as leased from work_heads where work_id = $1 for update',
    [workId],
  );
  if (head?.leased) throw locked(address);
  await queries.write('delete from removed_works where work_id = $1', [workId]);
  const [stored] = await queries.write(
    `insert into works (work_id, project_id, root_id, parent_id, call_root_id, is_run, package_hash, phase, record)
     values ($1, $2, coalesce((select root_id from works where work_id = $3), $1), $3, $4, $5, $6, $7, $8)
     on conflict (work_id) do update
     set record = excluded.record, phase = excluded.phase, package_hash = excluded.package_hash,
       version = works.version + 1, changed = pg_current_xact_id()
     where works.project_id = excluded.project_id and works.is_run = excluded.is_run
     returning work_id`,
    [
      ...[workId, record.projectId, record.parentId ?? null],
      record.workflowRef === undefined ? null : (record.call?.rootId ?? null),
      ...[address.isRun, packageOf(record), record.phase, JSON.stringify(record)],
    ],
  );
  if (!stored) throw workNotFound(address);
  await queries.write(
    `insert into work_heads (work_id, last_seq) values ($1, $2)
     on conflict (work_id) do update
     set last_seq = excluded.last_seq, epoch = work_heads.epoch + 1, commits = work_heads.commits + 1`,
    [workId, copy.events.length],
  );
  await storeRows(queries, copy, inline);
  await queries.write(`select pg_notify('${WORKS_CHANNEL}', $1)`, [workId]);
  await queries.write("select pg_notify('crewagent_events', $1)", [`${workId} ${copy.events.length}`]);
}

async function storeRows(
  { write }: Queries,
  { record: { workId }, events, state, journal }: WorkCopy,
  inline: Inline,
): Promise<void> {
  for (const table of ['work_events', 'state_files', 'work_journal'])
    await write(`delete from ${table} where work_id = $1`, [workId]);
  await write(
    `insert into work_events (work_id, seq, epoch, event)
     select $1, added.position, 0, added.event from unnest($2::text[]) with ordinality as added (event, position)`,
    [workId, events.map((event) => JSON.stringify(event))],
  );
  for (const [path, sha256] of state)
    await write('insert into state_files (work_id, path, content, sha256) values ($1, $2, $3, $4)', [
      ...[workId, path, inline.get(sha256) ?? null, sha256],
    ]);
  await write(
    `insert into work_journal (work_id, position, record)
     select $1, added.position, added.record from unnest($2::text[]) with ordinality as added (record, position)`,
    [workId, journal.map((step) => JSON.stringify(step))],
  );
}
