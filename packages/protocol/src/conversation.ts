/**
 * The record of a conversation: what lists show and what it is opened with. Its messages are in its log and in the logs of its
 * runs.
 */

import { workRecordShape } from './run.ts';
import { sha256Schema } from './scalars.ts';
import * as z from './zod.ts';

/** With an agent, with a workflow, or plain chat. One conversation can be each in turn. */
export const conversationKindSchema = z.enum(['agent', 'workflow', 'chat']);
export type ConversationKind = z.infer<typeof conversationKindSchema>;

/** The current agent, and its package. */
export const enteredAgentSchema = z.strictObject({
  agentId: z.string(),
  name: z.string(),
  title: z.string(),
  icon: z.optional(z.string()),
  package: z.strictObject({
    name: z.string(),
    version: z.string(),
    hash: sha256Schema,
  }),
});
export type EnteredAgent = z.infer<typeof enteredAgentSchema>;

export const conversationRecordSchema = z.strictObject({
  ...workRecordShape,
  kind: conversationKindSchema,
  /** Generated from the first exchange until a person renames it. */
  title: z.string(),
  isRenamed: z.optional(z.literal(true)),
  agent: z.optional(enteredAgentSchema),
  /** The run that receives input. */
  activeRunId: z.optional(z.uuid()),
  archivedAt: z.optional(z.iso.datetime()),
});
export type ConversationRecord = z.infer<typeof conversationRecordSchema>;
