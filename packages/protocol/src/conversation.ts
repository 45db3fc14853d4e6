/**
 * The record of a conversation: what a person finds it by, and what it is opened with. What was said in it is told by its
 * log, and by the logs of the runs that belong to it.
 */

import { runModelSchema } from './model.ts';
import { phaseReasonSchema, runPhaseSchema } from './run.ts';
import { runLimitsSchema } from './settings.ts';
import { systemToolPolicySchema } from './tools.ts';
import * as z from './zod.ts';

/** Talking to an agent, following a workflow, or neither. One conversation can be each in turn. */
export const conversationKindSchema = z.enum(['agent', 'workflow', 'chat']);
export type ConversationKind = z.infer<typeof conversationKindSchema>;

/** The agent a person talks to, and the package it is from. */
export const enteredAgentSchema = z.strictObject({
  agentId: z.string(),
  name: z.string(),
  title: z.string(),
  icon: z.string().optional(),
  package: z.strictObject({
    name: z.string(),
    version: z.string(),
    hash: z.string().regex(/^[0-9a-f]{64}$/),
  }),
});
export type EnteredAgent = z.infer<typeof enteredAgentSchema>;

export const conversationRecordSchema = z.strictObject({
  schemaVersion: z.literal(1),
  workId: z.uuid(),
  projectId: z.uuid(),
  kind: conversationKindSchema,
  /** Made from the first exchange until a person gives one. */
  title: z.string(),
  isRenamed: z.literal(true).optional(),
  agent: enteredAgentSchema.optional(),
  /** The run that what is said goes to. */
  activeRunId: z.uuid().optional(),
  model: runModelSchema,
  tools: systemToolPolicySchema,
  limits: runLimitsSchema,
  /** Of the talk; a run has its own. */
  phase: runPhaseSchema,
  reason: phaseReasonSchema.optional(),
  archivedAt: z.iso.datetime().optional(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type ConversationRecord = z.infer<typeof conversationRecordSchema>;
