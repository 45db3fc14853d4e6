/**
 * A Work is a conversation, or a run of a workflow. Each has one record, one log and one lock; the parent of a run that was
 * started in a conversation is that conversation.
 */
import type { ConversationRecord } from './conversation.ts';
import type { RunRecord } from './run.ts';

export type WorkRecord = RunRecord | ConversationRecord;

/** A run executes a workflow; a conversation may have an active run. */
export function isRun(record: WorkRecord): record is RunRecord {
  return 'workflowRef' in record;
}
