/** Renames and archives conversations. */
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import { toTitleText } from '@crewagent/protocol/plain-text';
import { CrewError } from '../base/crew-error.ts';
import type { ConversationAddress } from './work-address.ts';
import type { WorkStore } from './work-store.ts';

const LONGEST_TITLE = 120;

/** Sets a title chosen by a person; generated titles no longer replace it. */
export async function renameConversation(
  works: WorkStore,
  address: ConversationAddress,
  title: string,
): Promise<ConversationRecord> {
  const plain = toTitleText(title);
  const { length } = [...plain];
  if (length === 0 || length > LONGEST_TITLE) {
    throw new CrewError('USAGE', `A title has 1 to ${LONGEST_TITLE} characters; this one has ${length}.`);
  }
  return works.update<ConversationRecord>(address, (record) => ({
    ...record,
    title: plain,
    isRenamed: true,
  }));
}

export async function archiveConversation(
  works: WorkStore,
  address: ConversationAddress,
  isArchived: boolean,
  now: () => Date,
): Promise<ConversationRecord> {
  return works.update<ConversationRecord>(address, (record) => {
    const { archivedAt, ...rest } = record;
    if (isArchived === (archivedAt !== undefined)) return record;
    return isArchived ? { ...rest, archivedAt: now().toISOString() } : rest;
  });
}
