/**
 * Finding conversations: all of them, or the one a person means.
 */
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import { readConversationRecord } from './conversation-store.ts';
import {
  isLast,
  type Listed,
  listAddresses,
  listRecords,
  matchId,
  type ProjectFilter,
  type RecordKind,
  requireOne,
} from './find-records.ts';
import type { ConversationAddress, StoreLayout } from './layout.ts';

export type ListedConversation = Listed<ConversationAddress, ConversationRecord>;

export interface ConversationFilter extends ProjectFilter {
  /** Those that were put away; left out, or false: all others. */
  readonly isArchived?: boolean | undefined;
}

/** The one something was said in last first. Damaged ones are last, as such, and count as not archived. */
export async function listConversations(
  store: StoreLayout,
  { isArchived = false, ...filter }: ConversationFilter = {},
): Promise<ListedConversation[]> {
  const found = await listRecords(store, conversationsOf(store), filter);
  return found
    .filter(({ record }) => (record?.archivedAt !== undefined) === isArchived)
    .sort((a, b) => compare(activityOf(b), activityOf(a)));
}

/** The one conversation meant by an id, its beginning or its end, or `last`. An archived one is meant by its id only. */
export async function resolveConversation(
  store: StoreLayout,
  ref: string,
  filter: ConversationFilter = {},
): Promise<ConversationAddress> {
  const kind = conversationsOf(store);
  if (!isLast(ref))
    return requireOne(kind, matchId(kind, await listAddresses(store, kind, filter), ref), ref);
  const latest = (await listConversations(store, filter)).filter(({ record }) => record).slice(0, 1);
  const { projectId, conversationId } = requireOne(kind, latest, ref);
  return { projectId, conversationId };
}

function activityOf({ record }: ListedConversation): string {
  return record?.updatedAt ?? '';
}

/** Those of one moment stay in the order they were made. */
function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

export function conversationsOf(store: StoreLayout): RecordKind<ConversationAddress, ConversationRecord> {
  return {
    noun: 'conversation',
    notFound: 'CONVERSATION_NOT_FOUND',
    ambiguous: 'CONVERSATION_AMBIGUOUS',
    folderOf: (projectId) => store.conversationsFolder(projectId),
    addressOf: (projectId, conversationId) => ({ projectId, conversationId }),
    idOf: ({ conversationId }) => conversationId,
    pathsOf: (address) => store.conversation(address),
    read: (address) => readConversationRecord(store, address),
  };
}
