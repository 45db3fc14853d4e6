/** What a person changes about a Work: its title, whether it is archived, its approval preset. */
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import { toTitleText } from '@crewagent/protocol/plain-text';
import type { ApprovalPreset } from '@crewagent/protocol/tools';
import type { WorkRecord } from '@crewagent/protocol/work';
import { CrewError } from '../base/crew-error.ts';
import { conversationBeside, runBeside, type WorkAddress } from './work-address.ts';
import { nounOf } from './work-records.ts';
import type { WorkStore } from './work-store.ts';

const LONGEST_TITLE = 120;

/** Sets a title chosen by a person; generated titles no longer replace it. */
export async function renameConversation(
  works: WorkStore,
  address: WorkAddress,
  title: string,
): Promise<ConversationRecord> {
  const plain = toTitleText(title);
  const { length } = [...plain];
  if (length === 0 || length > LONGEST_TITLE) {
    throw new CrewError('USAGE', `A title has 1 to ${LONGEST_TITLE} characters; this one has ${length}.`);
  }
  return changeConversation(works, address, (record) => ({ ...record, title: plain, isRenamed: true }));
}

export async function archiveConversation(
  works: WorkStore,
  address: WorkAddress,
  isArchived: boolean,
  now: () => Date,
): Promise<ConversationRecord> {
  return changeConversation(works, address, (record) => {
    const { archivedAt, ...rest } = record;
    if (isArchived === (archivedAt !== undefined)) return record;
    return isArchived ? { ...rest, archivedAt: now().toISOString() } : rest;
  });
}

async function changeConversation(
  works: WorkStore,
  address: WorkAddress,
  change: (record: ConversationRecord) => ConversationRecord,
): Promise<ConversationRecord> {
  if (nounOf(address) === 'run')
    throw new CrewError('USAGE', 'A run cannot be renamed or archived; it has the title of its workflow.');
  return works.update<ConversationRecord>(conversationBeside(address, address.workId), change);
}

/** Sets what a Work may do without asking, from its next call on. For a conversation, also that of its active run. */
export async function setApproval(
  works: WorkStore,
  address: WorkAddress,
  approval: ApprovalPreset,
): Promise<void> {
  const { activeRunId, workflowRef } = await works.read(address);
  if (approval === 'read-only' && (activeRunId ?? workflowRef) !== undefined)
    throw new CrewError('USAGE', 'A workflow has to write files; choose another permission.');
  const concerned = activeRunId === undefined ? [address] : [address, runBeside(address, activeRunId)];
  for (const work of concerned)
    await works.update(work, (record: WorkRecord) => ({ ...record, tools: { ...record.tools, approval } }));
}
