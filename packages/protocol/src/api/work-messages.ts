/**
 * What the streams of a project, and of everything, carry: runs and conversations as lists and inboxes show them.
 */
import * as z from '../zod.ts';
import { conversationSummarySchema, damagedConversationSchema } from './conversation-messages.ts';
import { runListSchema, runSummarySchema } from './run-messages.ts';

/** Conversations that were put away are among them, marked as such. */
export const workListSchema = z.strictObject({
  ...runListSchema.shape,
  /** The one something was said in last first. */
  conversations: z.array(conversationSummarySchema),
  damagedConversations: z.array(damagedConversationSchema),
});
export type WorkList = z.infer<typeof workListSchema>;

export const workMessageSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('snapshot'), data: workListSchema }),
  z.strictObject({ type: z.literal('run'), data: runSummarySchema }),
  z.strictObject({ type: z.literal('run.removed'), data: z.strictObject({ runId: z.string() }) }),
  z.strictObject({ type: z.literal('conversation'), data: conversationSummarySchema }),
  z.strictObject({
    type: z.literal('conversation.removed'),
    data: z.strictObject({ conversationId: z.string() }),
  }),
]);
export type WorkMessage = z.infer<typeof workMessageSchema>;
