/**
 * Works over HTTP: conversations and runs, beginning one, saying something in it, watching it, and what it left behind.
 * Commands answer when they are understood, not when the turn is over; what comes of them is told by events.
 */
import { approvalDecisionSchema, approvalReachSchema } from '../approvals.ts';
import { menuShownShape } from '../command-events.ts';
import { runEventSchema } from '../events.ts';
import { journalEntrySchema, undoneFileSchema, undoSelectionSchema } from '../journal.ts';
import { runModelSchema } from '../model.ts';
import { phaseReasonSchema, runPhaseSchema } from '../run.ts';
import { runLimitsSchema } from '../settings.ts';
import { approvalPresetSchema, systemToolPolicySchema } from '../tools.ts';
import * as z from '../zod.ts';
import { defineEndpoint } from './define-endpoint.ts';
import { fileDiffQuerySchema, fileDiffSchema } from './file-diff.ts';
import { foundFilesSchema, mountedFindQuerySchema } from './files.ts';
import { countSchema, flagSchema, packageHashSchema, storeIdSchema } from './ids.ts';
import { documentsSchema, limitsSchema, modelSchema, textSchema } from './run-options.ts';
import { shownContextSchema } from './shown-context.ts';
import {
  conversationStateSchema,
  runViewSchema,
  workListSchema,
  workMessageSchema,
  workSummarySchema,
} from './work-messages.ts';

const params = z.strictObject({ workId: storeIdSchema });

/** An agent of an installed package; of the one that is there if left out. */
const agentShape = {
  packageHash: packageHashSchema.optional(),
  agent: z.string().min(1).max(200).optional(),
};

const workflowShape = { ...agentShape, workflow: z.string().min(1).max(500).optional() };

export const workStatusSchema = z.strictObject({
  workId: z.string(),
  /** Whom the next line is for. */
  mode: z.enum(['agent', 'run', 'chat']),
  phase: runPhaseSchema,
  reason: phaseReasonSchema.optional(),
  /** Why what was typed was not taken: it changed nothing, and can be said again. */
  refusal: z.strictObject({ code: z.string(), message: z.string() }).optional(),
});
export type WorkStatus = z.infer<typeof workStatusSchema>;

const undoneSchema = z.strictObject({ files: z.array(undoneFileSchema) });

const stateSchema = z.strictObject({ text: z.string(), sha256: z.string() });

export const stateVerdictSchema = z.discriminatedUnion('ok', [
  z.strictObject({ ok: z.literal(true), from: z.string(), to: z.string(), notes: z.array(z.string()) }),
  z.strictObject({
    ok: z.literal(false),
    error: z.strictObject({
      code: z.string(),
      message: z.string(),
      details: z.record(z.string(), z.unknown()).optional(),
    }),
  }),
]);
export type StateVerdict = z.infer<typeof stateVerdictSchema>;

const MAX_STATE_BYTES = 4 * 1024 * 1024;

export const works = {
  list: defineEndpoint({
    method: 'GET',
    path: '/works',
    summary: 'Conversations and runs, the one that changed last first; archived conversations only if asked.',
    query: z.strictObject({
      project: storeIdSchema.optional(),
      archived: flagSchema.optional(),
      phase: runPhaseSchema.optional(),
    }),
    response: workListSchema,
  }),
  create: defineEndpoint({
    method: 'POST',
    path: '/works',
    summary:
      'Begins a conversation with an agent, with nobody in particular or with a workflow, or a run by itself.',
    body: z.strictObject({
      projectId: storeIdSchema,
      /** `workflow`: in a conversation of its own; `run`: by itself. */
      kind: z.enum(['agent', 'workflow', 'chat', 'run']),
      ...workflowShape,
      model: modelSchema,
      approval: approvalPresetSchema.optional(),
      limits: limitsSchema.optional(),
      /** The first thing that is said. */
      input: textSchema.optional(),
      documents: documentsSchema,
      /** A run that is only made, to be started with `resume`. */
      isHeldBack: z.boolean().default(false),
    }),
    response: workStatusSchema,
    status: 201,
  }),
  show: defineEndpoint({
    method: 'GET',
    path: '/works/:workId',
    summary: 'Everything that is known of a Work and its runs.',
    params,
    response: z.strictObject({
      work: workSummarySchema,
      /** What its own log tells. */
      view: runViewSchema,
      state: conversationStateSchema,
      runs: z.record(z.string(), runViewSchema),
      /** What the agent's menu offers on the surface of the caller. */
      menu: menuShownShape.entries,
      model: runModelSchema,
      tools: systemToolPolicySchema,
      limits: runLimitsSchema,
      log: z.strictObject({ lastSeq: z.int(), isIntact: z.boolean(), brokenAt: z.int().optional() }),
      /** A process works on it: this one, or another. */
      isOpen: z.boolean(),
    }),
  }),
  change: defineEndpoint({
    method: 'PATCH',
    path: '/works/:workId',
    summary: 'Gives a conversation another title, archives it, or brings it back.',
    params,
    body: z.strictObject({ title: z.string().max(2_000).optional(), isArchived: z.boolean().optional() }),
    response: workSummarySchema,
  }),
  remove: defineEndpoint({
    method: 'DELETE',
    path: '/works/:workId',
    summary: 'Deletes a Work and its runs for good; what they wrote in the project stays.',
    params,
  }),
  input: defineEndpoint({
    method: 'POST',
    path: '/works/:workId/input',
    summary:
      'A line a person typed: a choice from the menu, a command, or words for the agent, the run or the model.',
    params,
    body: z.strictObject({ text: z.string().max(200_000) }),
    response: workStatusSchema,
    status: 202,
  }),
  answer: defineEndpoint({
    method: 'POST',
    path: '/works/:workId/answer',
    summary: 'Answers what was asked with the call `callId`; only once.',
    params,
    body: z.strictObject({ callId: z.string().min(1), answers: z.record(z.string(), z.unknown()) }),
    response: workStatusSchema,
    status: 202,
  }),
  approve: defineEndpoint({
    method: 'POST',
    path: '/works/:workId/approve',
    summary: "A person's word on the change that the call `callId` wants to make; only once.",
    params,
    body: z.strictObject({
      callId: z.string().min(1),
      decision: approvalDecisionSchema,
      /** For consent that is for longer than this call; the file alone if left out. */
      reach: approvalReachSchema.optional(),
      note: z.string().max(20_000).optional(),
    }),
    response: workStatusSchema,
    status: 202,
  }),
  stop: defineEndpoint({
    method: 'POST',
    path: '/works/:workId/stop',
    summary: 'Ends the turn that is under way, within a second; it can be resumed.',
    params,
    response: workStatusSchema,
    status: 202,
  }),
  resume: defineEndpoint({
    method: 'POST',
    path: '/works/:workId/resume',
    summary:
      'Goes on with the run one is in, or the talk, without a word; with another run of the project, or another model, if one is named.',
    params,
    body: z.strictObject({ model: modelSchema, runId: storeIdSchema.optional() }),
    response: workStatusSchema,
    status: 202,
  }),
  enterAgent: defineEndpoint({
    method: 'POST',
    path: '/works/:workId/agent',
    summary: 'From here on a person talks to this agent; a run that is under way is left.',
    params,
    body: z.strictObject(agentShape),
    response: workStatusSchema,
  }),
  dismissAgent: defineEndpoint({
    method: 'POST',
    path: '/works/:workId/dismiss',
    summary: 'From here on a person talks to nobody in particular.',
    params,
    response: workStatusSchema,
  }),
  startWorkflow: defineEndpoint({
    method: 'POST',
    path: '/works/:workId/workflow',
    summary: 'Starts a run of a workflow; what is said from here on is for it.',
    params,
    body: z.strictObject({ ...workflowShape, input: textSchema.optional(), documents: documentsSchema }),
    response: workStatusSchema,
    status: 202,
  }),
  setModel: defineEndpoint({
    method: 'POST',
    path: '/works/:workId/model',
    summary: 'The model that answers in a conversation from now on; not while a turn is under way.',
    params,
    body: z.strictObject({ model: modelSchema.unwrap() }),
    response: workStatusSchema,
  }),
  allowChange: defineEndpoint({
    method: 'POST',
    path: '/works/:workId/allow-change',
    summary: 'Allows one change of the state of a run that is complete.',
    params,
  }),
  changes: defineEndpoint({
    method: 'GET',
    path: '/works/:workId/changes',
    summary: 'What it changed in the project; each run of a conversation has its own changes.',
    params,
    response: z.strictObject({ changes: z.array(journalEntrySchema) }),
  }),
  undo: defineEndpoint({
    method: 'POST',
    path: '/works/:workId/undo',
    summary: 'Takes changes back: of one call, one node, or all.',
    params,
    body: undoSelectionSchema,
    response: undoneSchema,
  }),
  redo: defineEndpoint({
    method: 'POST',
    path: '/works/:workId/redo',
    summary: 'Brings changes back that were undone.',
    params,
    body: undoSelectionSchema,
    response: undoneSchema,
  }),
  state: defineEndpoint({
    method: 'GET',
    path: '/works/:workId/state',
    summary: 'The state document of a run.',
    params,
    response: stateSchema,
  }),
  editState: defineEndpoint({
    method: 'PUT',
    path: '/works/:workId/state',
    summary: 'Writes the state document, under the same gate as the model; not while a turn is under way.',
    params,
    body: z.strictObject({ text: z.string().max(MAX_STATE_BYTES / 2), ifMatchSha256: packageHashSchema }),
    maxBytes: MAX_STATE_BYTES,
    response: z.strictObject({ ...stateSchema.shape, notes: z.array(z.string()) }),
  }),
  checkState: defineEndpoint({
    method: 'POST',
    path: '/works/:workId/state/check',
    summary: 'What the gate would say of a state document; changes nothing.',
    params,
    body: z.strictObject({ text: z.string().max(MAX_STATE_BYTES / 2) }),
    maxBytes: MAX_STATE_BYTES,
    response: stateVerdictSchema,
  }),
  rewind: defineEndpoint({
    method: 'POST',
    path: '/works/:workId/rewind',
    summary:
      'Back to a node where the run was, or to the beginning of the one it is at; `resume` then does it again.',
    params,
    body: z.strictObject({
      nodeId: z.string().min(1).max(200),
      /** Also takes back what was changed in the project since. */
      undoesFiles: z.boolean(),
    }),
    response: z.strictObject({ status: workStatusSchema, files: undoneSchema.shape.files }),
  }),
  fileDiff: defineEndpoint({
    method: 'GET',
    path: '/works/:workId/file-diff',
    summary: 'What became of a file: from before it first touched it until now, or by one change.',
    params,
    query: fileDiffQuerySchema,
    response: fileDiffSchema,
  }),
  findFiles: defineEndpoint({
    method: 'GET',
    path: '/works/:workId/files/find',
    summary:
      'Files of the package or the state of what is spoken to now, whose path fits some letters in order, the best fit first.',
    params,
    query: mountedFindQuerySchema,
    response: foundFilesSchema,
  }),
  context: defineEndpoint({
    method: 'GET',
    path: '/works/:workId/context',
    summary: 'What the model was sent last, and what it would be sent next, part by part.',
    params,
    response: shownContextSchema,
  }),
  log: defineEndpoint({
    method: 'GET',
    path: '/works/:workId/log',
    summary: 'Stored events of its own log in order, from behind a number on.',
    params,
    query: z.strictObject({ after: countSchema.optional(), limit: countSchema.optional() }),
    response: z.strictObject({ events: z.array(runEventSchema), lastSeq: z.int() }),
  }),
  exportFile: defineEndpoint({
    method: 'GET',
    path: '/works/:workId/export',
    summary: 'The run as one file to keep or hand on.',
    params,
    query: z.strictObject({ format: z.enum(['md', 'json', 'html']).default('md') }),
    givesFile: true,
  }),
  events: defineEndpoint({
    method: 'GET',
    path: '/works/:workId/events',
    summary: 'What happens in its own log, as it happens; from behind `Last-Event-ID` (or `after`) on.',
    params,
    query: z.strictObject({ after: countSchema.optional() }),
    message: workMessageSchema,
  }),
};
