/**
 * Records of runs and conversations on disk. Any process may change a record; changes are serialized.
 */
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import type { RunRecord } from '@crewagent/protocol/run';
import type { WorkRecord } from '@crewagent/protocol/work';
import { errnoOf, withDiskErrors } from '../../base/errno.ts';
import { parseStored } from '../parse-stored.ts';
import type { ConversationAddress, RunAddress, WorkAddress } from '../work-address.ts';
import { checkWork, fromStored, nounOf, schemaOf, toStored, workNotFound } from '../work-records.ts';
import { markChange } from './change-marks.ts';
import type { StoreLayout } from './layout.ts';
import { changeInPlace, readStoreFile, writeStoreFile } from './store-file.ts';

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

/** Applies `change` to the latest record. Nothing is written if it returns the same object. */
export async function updateWork<Entry extends WorkRecord>(
  store: StoreLayout,
  address: WorkAddress & { readonly isRun: Entry extends RunRecord ? true : false },
  change: (record: Entry) => Entry,
): Promise<Entry> {
  const file = store.work(address).record;
  const update = async (): Promise<Entry> => {
    // `isRun` of the address determines the type of the record.
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
