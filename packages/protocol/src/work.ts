/**
 * A Work is what a person opens: a conversation, or a run of a workflow. Each has one record, one log and one lock; a run
 * that was begun in a conversation has it as its parent.
 */
import type { ConversationRecord } from './conversation.ts';
import type { RunRecord } from './run.ts';

export type WorkRecord = RunRecord | ConversationRecord;

/** A run follows a workflow; a conversation may be in one of its runs. */
export function isRun(record: WorkRecord): record is RunRecord {
  return 'workflowRef' in record;
}
