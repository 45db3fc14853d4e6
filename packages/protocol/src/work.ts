/**
 * A Work is a conversation, or a run of a workflow. Each has one record, one log and one lock; the parent of a run that was
 * started in a conversation is that conversation.
 */
import type { ConversationRecord } from './conversation.ts';
import type { RunRecord } from './run.ts';

/** A record with a workflow is that of a run. What only the other kind has is undefined, so that it can be read of any Work. */
export type WorkRecord = WithNone<RunRecord, ConversationRecord> | WithNone<ConversationRecord, RunRecord>;

type WithNone<Own, Other> = Own & { readonly [Key in Exclude<keyof Other, keyof Own>]?: undefined };
