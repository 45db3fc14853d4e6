/**
 * The records of runs and conversations on disk. In their files they keep the names of fields that they always had. A record
 * may be changed by any process, one after the other.
 */
import { type ConversationRecord, conversationRecordSchema } from '@crewagent/protocol/conversation';
import { type PhaseReason, type RunPhase, type RunRecord, runRecordSchema } from '@crewagent/protocol/run';
import { isRun, type WorkRecord } from '@crewagent/protocol/work';
import type * as z from '@crewagent/protocol/zod';
import { CrewError } from '../../base/crew-error.ts';
import { errnoOf, withDiskErrors } from '../../base/errno.ts';
import { markChange } from './change-marks.ts';
import type { ConversationAddress, RunAddress, StoreLayout, WorkAddress } from './layout.ts';
import { changeInPlace, parseStored, readStoreFile, writeStoreFile } from './store-file.ts';

/** What people call it. */
export function nounOf({ isRun }: Pick<WorkAddress, 'isRun'>): 'run' | 'conversation' {
  return isRun ? 'run' : 'conversation';
}

export function workNotFound(address: Pick<WorkAddress, 'isRun'>, cause?: unknown): CrewError {
  const code = address.isRun ? 'RUN_NOT_FOUND' : 'CONVERSATION_NOT_FOUND';
  return new CrewError(code, `The ${nounOf(address)} no longer exists.`, { cause });
}

/** Throws RUN_NOT_FOUND or CONVERSATION_NOT_FOUND, or STORE_DAMAGED for a record that cannot be read. */
export async function readWork(store: StoreLayout, address: RunAddress): Promise<RunRecord>;
export async function readWork(store: StoreLayout, address: ConversationAddress): Promise<ConversationRecord>;
export async function readWork(store: StoreLayout, address: WorkAddress): Promise<WorkRecord>;
export async function readWork(store: StoreLayout, address: WorkAddress): Promise<WorkRecord> {
  const file = store.work(address).record;
  const value = await readStoreFile(file);
  if (value === undefined) throw workNotFound(address);
  return parseStored(schemaOf(address), fromStored(value, address), file);
}

/** What `change` makes of the record as it is now, whoever wrote it last. One that stays the same object is not written. */
export async function updateWork<Entry extends WorkRecord>(
  store: StoreLayout,
  address: WorkAddress & { readonly isRun: Entry extends RunRecord ? true : false },
  change: (record: Entry) => Entry,
): Promise<Entry> {
  const file = store.work(address).record;
  const update = async (): Promise<Entry> => {
    // An address of this kind leads to a record of this kind.
    const record = (await readWork(store, address)) as Entry;
    const changed = change(record);
    if (changed === record) return record;
    const checked = checkWork(changed);
    await writeStoreFile(file, toStored(checked));
    await markChange(store, store.worksFolder(address.projectId, address.isRun));
    return checked;
  };
  return withDiskErrors(`Could not save the record of the ${nounOf(address)}`, async () => {
    try {
      return await changeInPlace(file, update);
    } catch (error) {
      throw errnoOf(error) === 'ENOENT' ? workNotFound(address, error) : error;
    }
  });
}

/** The record in another phase, with its reason or none. */
export function withPhase<Entry extends WorkRecord>(
  { reason: _, ...record }: Entry,
  phase: RunPhase,
  reason: PhaseReason | undefined,
): Entry {
  // Nothing but phase and reason is different.
  return { ...record, phase, ...(reason ? { reason } : {}) } as unknown as Entry;
}

/** Throws where the record is not one: that is a bug of ours. */
export function checkWork<Entry extends WorkRecord>(record: Entry): Entry {
  return schemaOf({ isRun: isRun(record) }).parse(record) as Entry;
}

function schemaOf(address: Pick<WorkAddress, 'isRun'>): z.ZodType<WorkRecord> {
  return address.isRun ? runRecordSchema : conversationRecordSchema;
}

/** The record with the names of its fields in its file, and in what scripts read. */
export function toStored(record: WorkRecord): object {
  if (!isRun(record)) {
    const { schemaVersion, workId, ...rest } = record;
    return { schemaVersion, conversationId: workId, ...rest };
  }
  const { schemaVersion, workId, projectId, parentId, kind: _, ...rest } = record;
  const parent = parentId === undefined ? {} : { conversationId: parentId };
  return { schemaVersion, runId: workId, projectId, ...parent, ...rest };
}

function fromStored(value: unknown, address: Pick<WorkAddress, 'isRun'>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (!address.isRun) {
    const { conversationId: workId, ...rest } = value as Readonly<Record<string, unknown>>;
    return { workId, ...rest };
  }
  const { runId: workId, conversationId: parentId, ...rest } = value as Readonly<Record<string, unknown>>;
  return { workId, ...(parentId === undefined ? {} : { parentId }), kind: 'workflow', ...rest };
}
