/**
 * Conversations over HTTP: beginning one, saying something in it, and what becomes of it. Commands answer when they are
 * understood, not when the turn is over; what comes of them is told by events.
 */

import { approvalDecisionSchema, approvalReachSchema } from '../approvals.ts';
import { menuShownShape } from '../command-events.ts';
import { conversationKindSchema } from '../conversation.ts';
import { runEventSchema } from '../events.ts';
import { journalEntrySchema, undoneFileSchema, undoSelectionSchema } from '../journal.ts';
import { runModelSchema } from '../model.ts';
import { phaseReasonSchema, runPhaseSchema } from '../run.ts';
import { runLimitsSchema } from '../settings.ts';
import { approvalPresetSchema, systemToolPolicySchema } from '../tools.ts';
import * as z from '../zod.ts';
import {
  conversationMessageSchema,
  conversationStateSchema,
  conversationSummarySchema,
  damagedConversationSchema,
} from './conversation-messages.ts';
import { defineEndpoint } from './define-endpoint.ts';
import { fileDiffQuerySchema, fileDiffSchema } from './file-diff.ts';
import { foundFilesSchema, mountedFindQuerySchema } from './files.ts';
import { countSchema, flagSchema, packageHashSchema, storeIdSchema } from './ids.ts';
import { runViewSchema } from './run-messages.ts';
import { documentsSchema, limitsSchema, modelSchema, textSchema } from './run-options.ts';
import { shownContextSchema } from './shown-context.ts';

const params = z.strictObject({ conversationId: storeIdSchema });

/** An agent of an installed package; of the one that is there if left out. */
const agentShape = {
  packageHash: packageHashSchema.optional(),
  agent: z.string().min(1).max(200).optional(),
};

const workflowShape = { ...agentShape, workflow: z.string().min(1).max(500).optional() };

export const conversationStatusSchema = z.strictObject({
  conversationId: z.string(),
  /** Whom the next line is for. */
  mode: z.enum(['agent', 'run', 'chat']),
  phase: runPhaseSchema,
  reason: phaseReasonSchema.optional(),
  /** Why what was typed was not taken: it changed nothing, and can be said again. */
  refusal: z.strictObject({ code: z.string(), message: z.string() }).optional(),
});
export type ConversationStatus = z.infer<typeof conversationStatusSchema>;

const undoneSchema = z.strictObject({ files: z.array(undoneFileSchema) });

export const conversations = {
  list: defineEndpoint({
    method: 'GET',
    path: '/conversations',
    summary:
      'Conversations, the one something was said in last first; those that were put away only if asked.',
    query: z.strictObject({ project: storeIdSchema.optional(), archived: flagSchema.optional() }),
    response: z.strictObject({
      conversations: z.array(conversationSummarySchema),
      damaged: z.array(damagedConversationSchema),
    }),
  }),
  create: defineEndpoint({
    method: 'POST',
    path: '/conversations',
    summary:
      'Makes a conversation with an agent, with nobody in particular, or with a workflow, which is begun.',
    body: z.strictObject({
      projectId: storeIdSchema,
      kind: conversationKindSchema,
      ...workflowShape,
      model: modelSchema,
      approval: approvalPresetSchema.optional(),
      limits: limitsSchema.optional(),
      /** The first thing that is said. */
      input: textSchema.optional(),
      documents: documentsSchema,
    }),
    response: conversationStatusSchema,
    status: 201,
  }),
  show: defineEndpoint({
    method: 'GET',
    path: '/conversations/:conversationId',
    summary: 'Everything that is known of a conversation and its runs.',
    params,
    response: z.strictObject({
      conversation: conversationSummarySchema,
      state: conversationStateSchema,
      talk: runViewSchema,
      runs: z.record(z.string(), runViewSchema),
      /** What the agent's menu offers in a browser. */
      menu: menuShownShape.entries,
      model: runModelSchema,
      tools: systemToolPolicySchema,
      limits: runLimitsSchema,
      /** A process works on it: this one, or another. */
      isOpen: z.boolean(),
    }),
  }),
  change: defineEndpoint({
    method: 'PATCH',
    path: '/conversations/:conversationId',
    summary: 'Gives a conversation another title, puts it away, or brings it back.',
    params,
    body: z.strictObject({ title: z.string().max(2_000).optional(), isArchived: z.boolean().optional() }),
    response: conversationSummarySchema,
  }),
  remove: defineEndpoint({
    method: 'DELETE',
    path: '/conversations/:conversationId',
    summary: 'Deletes a conversation and its runs for good; what they wrote in the project stays.',
    params,
  }),
  input: defineEndpoint({
    method: 'POST',
    path: '/conversations/:conversationId/input',
    summary: 'A line a person typed: a choice from the menu, a command, or words for whoever is there.',
    params,
    body: z.strictObject({ text: z.string().max(200_000) }),
    response: conversationStatusSchema,
    status: 202,
  }),
  answer: defineEndpoint({
    method: 'POST',
    path: '/conversations/:conversationId/answer',
    summary: 'Answers what was asked with the call `callId`; only once.',
    params,
    body: z.strictObject({ callId: z.string().min(1), answers: z.record(z.string(), z.unknown()) }),
    response: conversationStatusSchema,
    status: 202,
  }),
  approve: defineEndpoint({
    method: 'POST',
    path: '/conversations/:conversationId/approve',
    summary: "A person's word on the change that the call `callId` wants to make; only once.",
    params,
    body: z.strictObject({
      callId: z.string().min(1),
      decision: approvalDecisionSchema,
      /** For consent that is for longer than this call; the file alone if left out. */
      reach: approvalReachSchema.optional(),
      note: z.string().max(20_000).optional(),
    }),
    response: conversationStatusSchema,
    status: 202,
  }),
  stop: defineEndpoint({
    method: 'POST',
    path: '/conversations/:conversationId/stop',
    summary: 'Ends the turn that is under way, within a second; whom one talks to stays the same.',
    params,
    response: conversationStatusSchema,
    status: 202,
  }),
  resume: defineEndpoint({
    method: 'POST',
    path: '/conversations/:conversationId/resume',
    summary:
      'Goes on with the run one is in, or the talk, without a word; with another model if one is named.',
    params,
    body: z.strictObject({ model: modelSchema }),
    response: conversationStatusSchema,
    status: 202,
  }),
  enterAgent: defineEndpoint({
    method: 'POST',
    path: '/conversations/:conversationId/agent',
    summary: 'From here on a person talks to this agent; a run that is under way is left.',
    params,
    body: z.strictObject(agentShape),
    response: conversationStatusSchema,
  }),
  dismissAgent: defineEndpoint({
    method: 'POST',
    path: '/conversations/:conversationId/dismiss',
    summary: 'From here on a person talks to nobody in particular.',
    params,
    response: conversationStatusSchema,
  }),
  startWorkflow: defineEndpoint({
    method: 'POST',
    path: '/conversations/:conversationId/workflow',
    summary: 'Starts a run of a workflow; what is said from here on is for it.',
    params,
    body: z.strictObject({ ...workflowShape, input: textSchema.optional(), documents: documentsSchema }),
    response: conversationStatusSchema,
    status: 202,
  }),
  setModel: defineEndpoint({
    method: 'POST',
    path: '/conversations/:conversationId/model',
    summary: 'The model that answers from now on; not while a turn is under way.',
    params,
    body: z.strictObject({ model: modelSchema.unwrap() }),
    response: conversationStatusSchema,
  }),
  changes: defineEndpoint({
    method: 'GET',
    path: '/conversations/:conversationId/changes',
    summary: 'What the talk changed in the project; each run has its own.',
    params,
    response: z.strictObject({ changes: z.array(journalEntrySchema) }),
  }),
  undo: defineEndpoint({
    method: 'POST',
    path: '/conversations/:conversationId/undo',
    summary: 'Takes changes of the talk back: of one call, or all.',
    params,
    body: undoSelectionSchema,
    response: undoneSchema,
  }),
  redo: defineEndpoint({
    method: 'POST',
    path: '/conversations/:conversationId/redo',
    summary: 'Brings changes of the talk back that were undone.',
    params,
    body: undoSelectionSchema,
    response: undoneSchema,
  }),
  fileDiff: defineEndpoint({
    method: 'GET',
    path: '/conversations/:conversationId/file-diff',
    summary: 'What became of a file: from before the talk first touched it until now, or by one change.',
    params,
    query: fileDiffQuerySchema,
    response: fileDiffSchema,
  }),
  findFiles: defineEndpoint({
    method: 'GET',
    path: '/conversations/:conversationId/files/find',
    summary:
      'Files of the package or the state of what is spoken to now, whose path fits some letters in order.',
    params,
    query: mountedFindQuerySchema,
    response: foundFilesSchema,
  }),
  context: defineEndpoint({
    method: 'GET',
    path: '/conversations/:conversationId/context',
    summary: 'What the model was sent last in the talk, and what it would be sent next, part by part.',
    params,
    response: shownContextSchema,
  }),
  log: defineEndpoint({
    method: 'GET',
    path: '/conversations/:conversationId/log',
    summary: "Stored events of the conversation's own log in order, from behind a number on.",
    params,
    query: z.strictObject({ after: countSchema.optional(), limit: countSchema.optional() }),
    response: z.strictObject({ events: z.array(runEventSchema), lastSeq: z.int() }),
  }),
  events: defineEndpoint({
    method: 'GET',
    path: '/conversations/:conversationId/events',
    summary:
      'What happens in a conversation outside of its runs, as it happens; from behind `Last-Event-ID` on.',
    params,
    query: z.strictObject({ after: countSchema.optional() }),
    message: conversationMessageSchema,
  }),
};
