/**
 * Conversations on disk: making one, its record, deleting one with everything that belongs to it. The record may be changed
 * by any process, one after the other; the log only by the one that holds the conversation's lock.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { type ConversationRecord, conversationRecordSchema } from '@crewagent/protocol/conversation';
import { toTitleText } from '@crewagent/protocol/conversation-title';
import type { RunFact } from '@crewagent/protocol/events';
import { CrewError } from '../base/crew-error.ts';
import { syncFolder } from '../base/durable-files.ts';
import { errnoOf, withDiskErrors } from '../base/errno.ts';
import { createUuidV7 } from '../base/uuid-v7.ts';
import { markChange } from './change-marks.ts';
import { listRuns } from './find-runs.ts';
import {
  type ConversationAddress,
  type RunAddress,
  type StoreLayout,
  toConversationPaths,
} from './layout.ts';
import { lockIfThere, type RunLock } from './run-lock.ts';
import { type RunMaker, writeFirstFacts } from './run-store.ts';
import { publishFolder, retireFolder, sweepStagedFolders } from './staged-folder.ts';
import { changeInPlace, parseStored, readStoreFile, writeStoreFile } from './store-file.ts';

type Given = 'schemaVersion' | 'conversationId' | 'title' | 'phase' | 'reason' | 'createdAt' | 'updatedAt';

export interface ConversationDraft extends Omit<ConversationRecord, Given> {
  /** Empty while nothing was said, if left out. */
  readonly title?: string;
  /** Written to the log before the conversation exists, so that there is none without them. */
  readonly firstFacts: readonly RunFact[];
}

export async function createConversation(
  store: StoreLayout,
  draft: ConversationDraft,
  { now, newId = createUuidV7(now), publishing }: RunMaker,
): Promise<ConversationRecord> {
  const { firstFacts, title = '', ...pinned } = draft;
  const at = now().toISOString();
  const record = conversationRecordSchema.parse({
    schemaVersion: 1,
    conversationId: newId(),
    title,
    ...pinned,
    phase: 'WaitingUser',
    createdAt: at,
    updatedAt: at,
  } satisfies ConversationRecord);
  const runId = record.conversationId;
  await withDiskErrors('Could not create the conversation', () =>
    publishFolder(
      store.conversation(record).folder,
      async (folder) => {
        const staging = toConversationPaths(folder);
        await mkdir(staging.state, { mode: 0o700 });
        await writeFirstFacts(staging.log, firstFacts, { runId, now });
        await Promise.all([syncFolder(staging.state), writeStoreFile(staging.record, record)]);
      },
      publishing,
    ),
  );
  await markChange(store, store.conversationsFolder(record.projectId));
  return record;
}

/** Throws CONVERSATION_NOT_FOUND, or STORE_DAMAGED for a record that cannot be read. */
export async function readConversationRecord(
  store: StoreLayout,
  address: ConversationAddress,
): Promise<ConversationRecord> {
  const file = store.conversation(address).record;
  const value = await readStoreFile(file);
  if (value === undefined) throw notFound();
  return parseStored(conversationRecordSchema, value, file);
}

/**
 * What `change` makes of the record as it is now, whoever wrote it last. No lock of the conversation is needed, and a record
 * that stays the same object is not written.
 */
export async function updateConversationRecord(
  store: StoreLayout,
  address: ConversationAddress,
  change: (record: ConversationRecord) => ConversationRecord,
): Promise<ConversationRecord> {
  const file = store.conversation(address).record;
  const update = async (): Promise<ConversationRecord> => {
    const record = await readConversationRecord(store, address);
    const changed = change(record);
    if (changed === record) return record;
    const checked = conversationRecordSchema.parse(changed);
    await writeStoreFile(file, checked);
    await markChange(store, store.conversationsFolder(address.projectId));
    return checked;
  };
  return withDiskErrors('Could not save the record of the conversation', async () => {
    try {
      return await changeInPlace(file, update);
    } catch (error) {
      throw errnoOf(error) === 'ENOENT' ? notFound(error) : error;
    }
  });
}

const LONGEST_TITLE = 120;

/** A title of a person's own, which no later exchange replaces. */
export async function renameConversation(
  store: StoreLayout,
  address: ConversationAddress,
  title: string,
): Promise<ConversationRecord> {
  const plain = toTitleText(title);
  const { length } = [...plain];
  if (length === 0 || length > LONGEST_TITLE) {
    throw new CrewError('USAGE', `A title has 1 to ${LONGEST_TITLE} characters; this one has ${length}.`);
  }
  return updateConversationRecord(store, address, (record) => ({ ...record, title: plain, isRenamed: true }));
}

export async function archiveConversation(
  store: StoreLayout,
  address: ConversationAddress,
  isArchived: boolean,
  now: () => Date,
): Promise<ConversationRecord> {
  return updateConversationRecord(store, address, (record) => {
    const { archivedAt, ...rest } = record;
    if (isArchived === (archivedAt !== undefined)) return record;
    return isArchived ? { ...rest, archivedAt: now().toISOString() } : rest;
  });
}

/** Throws RUN_LOCKED while another process, or another part of this one, works on the conversation. */
export async function takeConversationLock(
  store: StoreLayout,
  address: ConversationAddress,
): Promise<RunLock> {
  const lock = await lockIfThere(store.conversation(address).lock);
  if (!lock) throw notFound();
  return lock;
}

/**
 * Deletes a conversation with its runs, and never anything in the project. Refused as a whole while somebody works on it or
 * on one of its runs. Its own folder goes last, so that what was cut short can be done again.
 */
export async function deleteConversation(
  store: StoreLayout,
  address: ConversationAddress,
  /** Its runs, where whoever deletes many has looked for them already. */
  known?: readonly RunAddress[],
): Promise<void> {
  const { projectId } = address;
  const doomed: { readonly folder: string; readonly lock: RunLock }[] = [];
  await withDiskErrors('Could not delete the conversation', async () => {
    const parents = [store.runsFolder(projectId), store.conversationsFolder(projectId)];
    for (const parent of parents) await sweepStagedFolders(parent);
    const ownLock = await takeConversationLock(store, address);
    try {
      for (const run of known ?? (await runsOfConversation(store, address))) {
        const paths = store.run(run);
        const lock = await lockIfThere(paths.lock);
        if (lock) doomed.push({ folder: paths.folder, lock });
      }
      for (const { folder, lock } of doomed) await retireFolder(folder, lock);
      await retireFolder(store.conversation(address).folder, ownLock);
    } finally {
      for (const { lock } of doomed) await lock.release();
      await ownLock.release();
      for (const parent of parents) await markChange(store, parent);
    }
  });
}

/** The runs that belong to a conversation and are deleted with it. One that was only entered may belong to nobody. */
export async function runsOfConversation(
  store: StoreLayout,
  { projectId, conversationId }: ConversationAddress,
): Promise<RunAddress[]> {
  const owned: RunAddress[] = [];
  for (const { runId, record } of await listRuns(store, { projectId })) {
    const address = { projectId, runId };
    const isOwn = record
      ? record.conversationId === conversationId
      : await mentions(store.run(address).record, conversationId);
    if (isOwn) owned.push(address);
  }
  return owned;
}

/** A damaged record cannot be asked; an id is in no other one by chance. */
async function mentions(file: string, id: string): Promise<boolean> {
  try {
    return (await readFile(file, 'utf8')).includes(id);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

function notFound(cause?: unknown): CrewError {
  return new CrewError('CONVERSATION_NOT_FOUND', 'The conversation no longer exists.', { cause });
}
