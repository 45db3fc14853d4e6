/**
 * Works over HTTP: create, command, watch and inspect conversations and runs. A command is answered when it is accepted, not
 * when its turn ends; its outcome is reported by events.
 */
import {
  approvalDecisionSchema,
  approvalReachSchema,
  followingDecisionSchema,
  isOfWhatWasShown,
  seenShape,
} from '../approvals.ts';
import { menuShownShape } from '../command-events.ts';
import { runEventSchema } from '../events.ts';
import { evidenceSchema } from '../evidence.ts';
import { journalEntrySchema, undoneFileSchema, undoSelectionSchema } from '../journal.ts';
import { runModelSchema } from '../model.ts';
import { phaseReasonSchema, runPhaseSchema } from '../run.ts';
import { nonEmptySchema, positiveCountSchema } from '../scalars.ts';
import { runLimitsSchema } from '../settings.ts';
import { approvalPresetSchema, systemToolPolicySchema } from '../tools.ts';
import * as z from '../zod.ts';
import { defineEndpoint } from './define-endpoint.ts';
import { fileDiffQuerySchema, fileDiffSchema } from './file-diff.ts';
import { foundFilesSchema, mountedFindQuerySchema } from './files.ts';
import { flagSchema, packageHashSchema, queryCountSchema, storeIdSchema } from './ids.ts';
import { documentsSchema, limitsSchema, modelSchema, textSchema } from './run-options.ts';
import { shownContextSchema } from './shown-context.ts';
import {
  conversationStateSchema,
  itemPageSchema,
  storySchema,
  workListSchema,
  workMessageSchema,
  workSummarySchema,
} from './work-messages.ts';

const params = z.strictObject({ workId: storeIdSchema });

/** An agent of an installed package; default: the package's only or entry agent. */
const agentShape = {
  packageHash: z.optional(packageHashSchema),
  agent: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
};

const workflowShape = {
  ...agentShape,
  workflow: z.optional(z.string().check(z.minLength(1), z.maxLength(500))),
};

export const workStatusSchema = z.strictObject({
  workId: z.string(),
  /** The addressee of the next input. */
  mode: z.enum(['agent', 'run', 'chat']),
  phase: runPhaseSchema,
  reason: z.optional(phaseReasonSchema),
  /** Why the input was rejected: it changed nothing, and can be sent again. */
  refusal: z.optional(z.strictObject({ code: z.string(), message: z.string() })),
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
      details: z.optional(z.record(z.string(), z.unknown())),
    }),
  }),
]);
export type StateVerdict = z.infer<typeof stateVerdictSchema>;

const MAX_STATE_BYTES = 4 * 1024 * 1024;

export const works = {
  list: defineEndpoint({
    method: 'GET',
    path: '/works',
    summary:
      'Lists conversations and runs, most recently changed first; archived conversations on request only.',
    query: z.strictObject({
      project: z.optional(storeIdSchema),
      archived: z.optional(flagSchema),
      phase: z.optional(runPhaseSchema),
    }),
    response: workListSchema,
  }),
  create: defineEndpoint({
    method: 'POST',
    path: '/works',
    summary: 'Starts a conversation with an agent, without an agent or with a workflow, or a standalone run.',
    body: z.strictObject({
      projectId: storeIdSchema,
      /** `workflow`: in a conversation of its own; `run`: standalone. */
      kind: z.enum(['agent', 'workflow', 'chat', 'run']),
      ...workflowShape,
      model: z.optional(modelSchema),
      approval: z.optional(approvalPresetSchema),
      limits: z.optional(limitsSchema),
      /** The first input. */
      input: z.optional(textSchema),
      documents: documentsSchema,
      /** Creates a run without starting it; `resume` starts it. */
      isHeldBack: z._default(z.boolean(), false),
    }),
    response: workStatusSchema,
    status: 201,
  }),
  show: defineEndpoint({
    method: 'GET',
    path: '/works/:workId',
    summary: 'Shows a Work and its runs, each with its last items; `items` has the earlier ones.',
    params,
    response: z.strictObject({
      work: workSummarySchema,
      /** The view of its own log. */
      view: storySchema,
      state: conversationStateSchema,
      runs: z.record(z.string(), storySchema),
      model: runModelSchema,
      tools: systemToolPolicySchema,
      limits: runLimitsSchema,
      /** This or another process works on it. */
      isOpen: z.boolean(),
    }),
  }),
  change: defineEndpoint({
    method: 'PATCH',
    path: '/works/:workId',
    summary: 'Renames, archives or restores a conversation; sets what a Work may do without asking.',
    params,
    body: z.strictObject({
      title: z.optional(z.string().check(z.maxLength(2_000))),
      isArchived: z.optional(z.boolean()),
      /** Refused while a turn is under way. */
      approval: z.optional(approvalPresetSchema),
    }),
    response: workSummarySchema,
  }),
  remove: defineEndpoint({
    method: 'DELETE',
    path: '/works/:workId',
    summary: 'Deletes a Work and its runs permanently; files they wrote in the project are not changed.',
    params,
  }),
  input: defineEndpoint({
    method: 'POST',
    path: '/works/:workId/input',
    summary: 'Sends input: a menu choice, a command, or a message to the agent, the run or the model.',
    params,
    body: z.strictObject({ text: z.string().check(z.maxLength(200_000)) }),
    response: workStatusSchema,
    status: 202,
  }),
  withdraw: defineEndpoint({
    method: 'POST',
    path: '/works/:workId/withdraw',
    summary: 'Takes back a message that waits for the next turn, by the number of the event that queued it.',
    params,
    body: z.strictObject({ inputSeq: positiveCountSchema }),
    response: workStatusSchema,
    status: 202,
  }),
  answer: defineEndpoint({
    method: 'POST',
    path: '/works/:workId/answer',
    summary: 'Answers the question of the call `callId`; only once.',
    params,
    body: z.strictObject({
      callId: nonEmptySchema,
      answers: z.record(z.string(), z.unknown()),
    }),
    response: workStatusSchema,
    status: 202,
  }),
  approve: defineEndpoint({
    method: 'POST',
    path: '/works/:workId/approve',
    summary:
      'Approves or denies the action of the call `callId`; only once. An approval has the SHA-256 of the preview that was shown.',
    params,
    body: z
      .strictObject({
        callId: nonEmptySchema,
        decision: approvalDecisionSchema,
        /** Scope of a consent that outlives this call; default: the file only. */
        reach: z.optional(approvalReachSchema),
        note: z.optional(z.string().check(z.maxLength(20_000))),
        /** Decisions on later changes of the same reply that were shown with it. */
        following: z.optional(z.array(followingDecisionSchema).check(z.maxLength(64))),
        ...seenShape,
      })
      .check(
        z.refine((body) => [body, ...(body.following ?? [])].every(isOfWhatWasShown), {
          path: ['shown'],
          error: 'is required for an approval: the SHA-256 of the text of the preview that was shown',
        }),
      ),
    response: workStatusSchema,
    status: 202,
  }),
  stop: defineEndpoint({
    method: 'POST',
    path: '/works/:workId/stop',
    summary: 'Stops the turn in progress within a second; it can be resumed.',
    params,
    response: workStatusSchema,
    status: 202,
  }),
  resume: defineEndpoint({
    method: 'POST',
    path: '/works/:workId/resume',
    summary:
      'Resumes the active run or the thread without input; optionally another run of the project, or with another model.',
    params,
    body: z.strictObject({ model: z.optional(modelSchema), runId: z.optional(storeIdSchema) }),
    response: workStatusSchema,
    status: 202,
  }),
  waive: defineEndpoint({
    method: 'POST',
    path: '/works/:workId/waive',
    summary:
      'Lets the run leave its current step although a check is not met: the named one, or all that are missing. The reason is recorded.',
    params,
    body: z.strictObject({
      check: z.optional(nonEmptySchema),
      reason: nonEmptySchema.check(z.maxLength(2_000)),
    }),
    response: workStatusSchema,
    status: 202,
  }),
  skip: defineEndpoint({
    method: 'POST',
    path: '/works/:workId/skip',
    summary:
      'Goes on without the sub-workflow that is called: the innermost one, or that of the node that is named, along the edge to a node, or the only one.',
    params,
    body: z.strictObject({ to: z.optional(z.string()), nodeId: z.optional(z.string()) }),
    response: workStatusSchema,
    status: 202,
  }),
  enterAgent: defineEndpoint({
    method: 'POST',
    path: '/works/:workId/agent',
    summary: 'Switches the conversation to an agent; leaves the active run.',
    params,
    body: z.strictObject(agentShape),
    response: workStatusSchema,
  }),
  dismissAgent: defineEndpoint({
    method: 'POST',
    path: '/works/:workId/dismiss',
    summary: 'Dismisses the agent of the conversation.',
    params,
    response: workStatusSchema,
  }),
  startWorkflow: defineEndpoint({
    method: 'POST',
    path: '/works/:workId/workflow',
    summary: 'Starts a run of a workflow, which receives the input from here on.',
    params,
    body: z.strictObject({ ...workflowShape, input: z.optional(textSchema), documents: documentsSchema }),
    response: workStatusSchema,
    status: 202,
  }),
  setModel: defineEndpoint({
    method: 'POST',
    path: '/works/:workId/model',
    summary: 'Switches the model of a conversation; not while a turn is in progress.',
    params,
    body: z.strictObject({ model: modelSchema }),
    response: workStatusSchema,
  }),
  allowChange: defineEndpoint({
    method: 'POST',
    path: '/works/:workId/allow-change',
    summary: 'Allows one change of the state of a completed run.',
    params,
  }),
  changes: defineEndpoint({
    method: 'GET',
    path: '/works/:workId/changes',
    summary:
      'Lists the file changes of a Work, with those of runs that it called; each run of a conversation has its own changes.',
    params,
    response: z.strictObject({ changes: z.array(journalEntrySchema) }),
  }),
  undo: defineEndpoint({
    method: 'POST',
    path: '/works/:workId/undo',
    summary: 'Undoes changes of one call, one node, or all.',
    params,
    body: undoSelectionSchema,
    response: undoneSchema,
  }),
  redo: defineEndpoint({
    method: 'POST',
    path: '/works/:workId/redo',
    summary: 'Redoes changes that were undone.',
    params,
    body: undoSelectionSchema,
    response: undoneSchema,
  }),
  state: defineEndpoint({
    method: 'GET',
    path: '/works/:workId/state',
    summary: 'Reads the state document of a run.',
    params,
    response: stateSchema,
  }),
  editState: defineEndpoint({
    method: 'PUT',
    path: '/works/:workId/state',
    summary: 'Writes the state document, under the same gate as the model; not while a turn is in progress.',
    params,
    body: z.strictObject({
      text: z.string().check(z.maxLength(MAX_STATE_BYTES / 2)),
      ifMatchSha256: packageHashSchema,
    }),
    maxBytes: MAX_STATE_BYTES,
    response: z.strictObject({ ...stateSchema.shape, notes: z.array(z.string()) }),
  }),
  checkState: defineEndpoint({
    method: 'POST',
    path: '/works/:workId/state/check',
    summary: 'Checks a state document against the gate; changes nothing.',
    params,
    body: z.strictObject({ text: z.string().check(z.maxLength(MAX_STATE_BYTES / 2)) }),
    maxBytes: MAX_STATE_BYTES,
    response: stateVerdictSchema,
  }),
  rewind: defineEndpoint({
    method: 'POST',
    path: '/works/:workId/rewind',
    summary:
      'Rewinds the run to an earlier node, or to the beginning of the current one; `resume` continues from there.',
    params,
    body: z.strictObject({
      nodeId: z.string().check(z.minLength(1), z.maxLength(200)),
      /** Also undoes file changes in the project since then. */
      undoesFiles: z.boolean(),
    }),
    response: z.strictObject({ status: workStatusSchema, files: undoneSchema.shape.files }),
  }),
  fileDiff: defineEndpoint({
    method: 'GET',
    path: '/works/:workId/file-diff',
    summary: 'Shows the diff of a file: over the whole Work, or of one change.',
    params,
    query: fileDiffQuerySchema,
    response: fileDiffSchema,
  }),
  findFiles: defineEndpoint({
    method: 'GET',
    path: '/works/:workId/files/find',
    summary:
      'Finds files of the active package or state by letters of their path in order, best match first.',
    params,
    query: mountedFindQuerySchema,
    response: foundFilesSchema,
  }),
  context: defineEndpoint({
    method: 'GET',
    path: '/works/:workId/context',
    summary: 'Shows the last and the next request to the model, part by part.',
    params,
    response: shownContextSchema,
  }),
  contextSize: defineEndpoint({
    method: 'GET',
    path: '/works/:workId/context-size',
    summary: 'Shows how many tokens a request to its model may have.',
    params,
    response: z.pick(shownContextSchema, { contextTokens: true }),
  }),
  menu: defineEndpoint({
    method: 'GET',
    path: '/works/:workId/menu',
    summary: 'Lists the menu of its agent on the surface of the client; empty without an agent.',
    params,
    response: z.strictObject({ entries: menuShownShape.entries }),
  }),
  checkLog: defineEndpoint({
    method: 'GET',
    path: '/works/:workId/log-check',
    summary: 'Reads its own log and tells whether it was changed by others.',
    params,
    response: z.strictObject({ lastSeq: z.int(), isIntact: z.boolean(), brokenAt: z.optional(z.int()) }),
  }),
  evidence: defineEndpoint({
    method: 'GET',
    path: '/works/:workId/evidence',
    summary: 'Shows what happened in each visit of each step of a run, and how far it is proved.',
    params,
    response: evidenceSchema,
  }),
  items: defineEndpoint({
    method: 'GET',
    path: '/works/:workId/items',
    summary: 'Reads the items of its own log before a sequence number; without one, the last ones.',
    params,
    query: z.strictObject({ before: z.optional(queryCountSchema), limit: z.optional(queryCountSchema) }),
    response: itemPageSchema,
  }),
  log: defineEndpoint({
    method: 'GET',
    path: '/works/:workId/log',
    summary: 'Reads stored events of its own log in order, after a sequence number.',
    params,
    query: z.strictObject({ after: z.optional(queryCountSchema), limit: z.optional(queryCountSchema) }),
    response: z.strictObject({ events: z.array(runEventSchema), lastSeq: z.int() }),
  }),
  exportFile: defineEndpoint({
    method: 'GET',
    path: '/works/:workId/export',
    summary: 'Exports the run as one file.',
    params,
    query: z.strictObject({ format: z._default(z.enum(['md', 'json', 'html']), 'md') }),
    returnsFile: true,
  }),
  events: defineEndpoint({
    method: 'GET',
    path: '/works/:workId/events',
    summary: 'Streams the events of its own log, after `Last-Event-ID` (or `after`).',
    params,
    query: z.strictObject({ after: z.optional(queryCountSchema) }),
    message: workMessageSchema,
  }),
};
