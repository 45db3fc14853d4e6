/** Records of runs and conversations on disk: listed, read, changed. Any process may change a record; changes are serialized. */
import { existsSync, readdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import type { RunRecord } from '@crewagent/protocol/run';
import type { WorkRecord } from '@crewagent/protocol/work';
import { compareTexts } from '../../base/compare-texts.ts';
import { CrewError } from '../../base/crew-error.ts';
import { replaceFile } from '../../base/durable-files.ts';
import { errnoOf, withDiskErrors } from '../../base/errno.ts';
import { mapLimit } from '../../base/map-limit.ts';
import { remember } from '../../base/remember.ts';
import { freeze, parseJson, parseStored } from '../stored-document.ts';
import { type ConversationAddress, type RunAddress, toAddress, type WorkAddress } from '../work-address.ts';
import { checkChange, fromStored, nounOf, schemaOf, toStored, workNotFound } from '../work-records.ts';
import type { ListedWork, WorkFilter } from '../work-store.ts';
import { markChange } from './change-marks.ts';
import { isStoreId, type StoreLayout } from './layout.ts';
import { takeTurn } from './locks/file-turns.ts';
import { restoreReplaced } from './staged-folder.ts';
import { formatStoreFile, readStoreText } from './store-file.ts';

const CONCURRENCY = 16;

/** Newest first. Damaged records are listed with their problem. */
export async function listWorks(store: StoreLayout, filter: WorkFilter = {}): Promise<ListedWork[]> {
  const addresses = await listAddresses(store, filter);
  const found = await mapLimit(addresses, CONCURRENCY, (address) => readListed(store, address));
  return found.filter((entry) => entry !== undefined);
}

/** Undefined if the Work was just deleted. */
export async function readListed(store: StoreLayout, address: WorkAddress): Promise<ListedWork | undefined> {
  const { folder, record } = store.work(address);
  try {
    return { ...address, record: await readWork(store, address) };
  } catch (error) {
    if (!(error instanceof CrewError)) throw error;
    const isMissing = error.code === workNotFound(address).code;
    if (isMissing && !existsSync(folder)) return undefined;
    return { ...address, problem: isMissing ? `"${record}" is missing.` : error.message };
  }
}

/** Newest first: ids sort by time of creation. */
export async function listAddresses(
  store: StoreLayout,
  { projectId, isRun }: WorkFilter,
): Promise<WorkAddress[]> {
  const nouns = isRun === undefined ? 'runs and conversations' : `${nounOf({ isRun })}s`;
  return withDiskErrors(`Could not list the ${nouns}`, async () => {
    const projects = projectId === undefined ? await listProjectIds(store) : [projectId];
    const kinds = isRun === undefined ? [true, false] : [isRun];
    const folders = projects.flatMap((id) => kinds.map((kind) => ({ projectId: id, isRun: kind })));
    const lists = await mapLimit(folders, CONCURRENCY, async (folder) => {
      const parent = store.worksFolder(folder.projectId, folder.isRun);
      await restoreReplaced(parent);
      const ids = await idsIn(parent);
      return ids.map((workId) => ({ ...folder, workId }));
    });
    return lists.flat().sort((a, b) => compareTexts(b.workId, a.workId));
  });
}

/** Ids of all projects with data in the store. */
export async function listProjectIds(store: StoreLayout): Promise<string[]> {
  // Few, and listed for every Work that is looked up.
  return withDiskErrors('Could not list the projects', async () => idsIn(store.projectsFolder, readdirSync));
}

export async function findWork(store: StoreLayout, workId: string): Promise<WorkAddress> {
  if (isStoreId(workId)) {
    const projects = await listProjectIds(store);
    const places = projects.flatMap((projectId) =>
      [true, false].map((isRun) => ({ projectId, workId, isRun })),
    );
    const find = () => places.find((address) => existsSync(store.work(address).folder));
    const found = find();
    if (found) return found;
    for (const { projectId, isRun } of places) await restoreReplaced(store.worksFolder(projectId, isRun));
    const restored = find();
    if (restored) return restored;
  }
  throw new CrewError('WORK_NOT_FOUND', 'There is no run or conversation with this id any more.');
}

async function idsIn(
  folder: string,
  list: (path: string) => string[] | Promise<string[]> = readdir,
): Promise<string[]> {
  // Most projects have no conversations, and a new store has no projects.
  if (!existsSync(folder)) return [];
  try {
    return (await list(folder)).filter(isStoreId);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}

/** Throws RUN_NOT_FOUND or CONVERSATION_NOT_FOUND, or STORE_DAMAGED for a record that cannot be read. */
export async function readWork(store: StoreLayout, address: RunAddress): Promise<RunRecord>;
export async function readWork(store: StoreLayout, address: ConversationAddress): Promise<ConversationRecord>;
export async function readWork(store: StoreLayout, address: WorkAddress): Promise<WorkRecord>;
export async function readWork(store: StoreLayout, address: WorkAddress): Promise<WorkRecord> {
  const file = store.work(address).record;
  const text = await readStoreText(file);
  if (text === undefined) throw workNotFound(address);
  return parsed(toKey(address, text), () =>
    freeze(parseStored(schemaOf(address), fromStored(parseJson(text, file), address), file)),
  );
}

/** A run reads its own record again and again: for every change, and for the permission of every call that writes. */
const parsed = remember<WorkRecord>(256);

function toKey({ isRun }: WorkAddress, text: string): string {
  return `${isRun} ${text}`;
}

/** The text of a record that was validated. Reading it again does not validate it again. */
export function formatWork(record: WorkRecord): string {
  const text = formatStoreFile(toStored(record));
  const address = toAddress(record);
  parsed(toKey(address, text), () => freeze(fromStored(JSON.parse(text), address) as WorkRecord));
  return text;
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
    const checked = checkChange(record, changed);
    await replaceFile(file, formatWork(checked));
    await markChange(store, store.worksFolder(address.projectId, address.isRun));
    return checked;
  };
  return withDiskErrors(`Could not save the record of the ${nounOf(address)}`, async () => {
    try {
      // Opening a Work tidies its folder.
      return await takeTurn(file, update, { isSweptElsewhere: true });
    } catch (error) {
      throw errnoOf(error) === 'ENOENT' ? workNotFound(address, error) : error;
    }
  });
}
