/**
 * Runs over HTTP: starting, steering and watching them, and what they left behind. Commands answer at once with where the
 * run is; what comes of them is told by its events.
 */
import { approvalDecisionSchema, approvalReachSchema } from '../approvals.ts';
import { runEventSchema } from '../events.ts';
import { journalEntrySchema, undoneFileSchema, undoSelectionSchema } from '../journal.ts';
import { phaseReasonSchema, runPhaseSchema } from '../run.ts';
import { runLimitsSchema } from '../settings.ts';
import { approvalPresetSchema, systemToolPolicySchema } from '../tools.ts';
import * as z from '../zod.ts';
import { defineEndpoint } from './define-endpoint.ts';
import { fileDiffQuerySchema, fileDiffSchema } from './file-diff.ts';
import { foundFilesSchema, mountedFindQuerySchema } from './files.ts';
import { countSchema, packageHashSchema, storeIdSchema } from './ids.ts';
import { runListSchema, runMessageSchema, runSummarySchema, runViewSchema } from './run-messages.ts';
import { documentsSchema, limitsSchema, modelSchema, textSchema } from './run-options.ts';
import { shownContextSchema } from './shown-context.ts';

const params = z.strictObject({ runId: storeIdSchema });

export const runStatusSchema = z.strictObject({
  runId: z.string(),
  phase: runPhaseSchema,
  reason: phaseReasonSchema.optional(),
});
export type RunStatus = z.infer<typeof runStatusSchema>;

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

export const runs = {
  list: defineEndpoint({
    method: 'GET',
    path: '/runs',
    summary: 'All runs, the newest first; of one project, or in one phase.',
    query: z.strictObject({ project: storeIdSchema.optional(), phase: runPhaseSchema.optional() }),
    response: runListSchema,
  }),
  create: defineEndpoint({
    method: 'POST',
    path: '/runs',
    summary: 'Makes a run of a workflow and sets it going.',
    body: z.strictObject({
      projectId: storeIdSchema,
      packageHash: packageHashSchema,
      workflow: z.string().min(1).max(500).optional(),
      agent: z.string().min(1).max(200).optional(),
      model: modelSchema,
      approval: approvalPresetSchema.optional(),
      limits: limitsSchema.optional(),
      /** Told to the model with the first turn. */
      input: textSchema.optional(),
      documents: documentsSchema,
      /** Only made, to be started with `resume`. */
      isHeldBack: z.boolean().default(false),
    }),
    response: runStatusSchema,
    status: 201,
  }),
  show: defineEndpoint({
    method: 'GET',
    path: '/runs/:runId',
    summary: 'Everything that is known of a run.',
    params,
    response: z.strictObject({
      run: runSummarySchema,
      tools: systemToolPolicySchema,
      limits: runLimitsSchema,
      view: runViewSchema,
      log: z.strictObject({ lastSeq: z.int(), isIntact: z.boolean(), brokenAt: z.int().optional() }),
      /** A process works on it: this one, or another. */
      isOpen: z.boolean(),
    }),
  }),
  remove: defineEndpoint({
    method: 'DELETE',
    path: '/runs/:runId',
    summary: 'Deletes a run for good; what it wrote in the project stays.',
    params,
  }),
  resume: defineEndpoint({
    method: 'POST',
    path: '/runs/:runId/resume',
    summary: 'Goes on with a run, with another model if one is named.',
    params,
    body: z.strictObject({ model: modelSchema }),
    response: runStatusSchema,
    status: 202,
  }),
  stop: defineEndpoint({
    method: 'POST',
    path: '/runs/:runId/stop',
    summary: 'Stops a run within a second; it can be resumed.',
    params,
    response: runStatusSchema,
    status: 202,
  }),
  say: defineEndpoint({
    method: 'POST',
    path: '/runs/:runId/say',
    summary: "A person's words. While the run goes on they are told with its next turn.",
    params,
    body: z.strictObject({ text: textSchema }),
    response: runStatusSchema,
    status: 202,
  }),
  answer: defineEndpoint({
    method: 'POST',
    path: '/runs/:runId/answer',
    summary: 'Answers what the run asked with the call `callId`; only once.',
    params,
    body: z.strictObject({ callId: z.string().min(1), answers: z.record(z.string(), z.unknown()) }),
    response: runStatusSchema,
    status: 202,
  }),
  approve: defineEndpoint({
    method: 'POST',
    path: '/runs/:runId/approve',
    summary: "A person's word on the change that the call `callId` wants to make; only once.",
    params,
    body: z.strictObject({
      callId: z.string().min(1),
      decision: approvalDecisionSchema,
      /** For consent that is for longer than this call; the file alone if left out. */
      reach: approvalReachSchema.optional(),
      note: z.string().max(20_000).optional(),
    }),
    response: runStatusSchema,
    status: 202,
  }),
  allowChange: defineEndpoint({
    method: 'POST',
    path: '/runs/:runId/allow-change',
    summary: 'Allows one change of the state of a run that is complete.',
    params,
  }),
  changes: defineEndpoint({
    method: 'GET',
    path: '/runs/:runId/changes',
    summary: 'What the run changed in the project.',
    params,
    response: z.strictObject({ changes: z.array(journalEntrySchema) }),
  }),
  undo: defineEndpoint({
    method: 'POST',
    path: '/runs/:runId/undo',
    summary: 'Takes changes back: of one call, one node, or all.',
    params,
    body: undoSelectionSchema,
    response: undoneSchema,
  }),
  redo: defineEndpoint({
    method: 'POST',
    path: '/runs/:runId/redo',
    summary: 'Brings changes back that were undone.',
    params,
    body: undoSelectionSchema,
    response: undoneSchema,
  }),
  state: defineEndpoint({
    method: 'GET',
    path: '/runs/:runId/state',
    summary: 'The state document of a run.',
    params,
    response: stateSchema,
  }),
  editState: defineEndpoint({
    method: 'PUT',
    path: '/runs/:runId/state',
    summary: 'Writes the state document, under the same gate as the model; not while a turn is under way.',
    params,
    body: z.strictObject({ text: z.string().max(MAX_STATE_BYTES / 2), ifMatchSha256: packageHashSchema }),
    maxBytes: MAX_STATE_BYTES,
    response: z.strictObject({ ...stateSchema.shape, notes: z.array(z.string()) }),
  }),
  checkState: defineEndpoint({
    method: 'POST',
    path: '/runs/:runId/state/check',
    summary: 'What the gate would say of a state document; changes nothing.',
    params,
    body: z.strictObject({ text: z.string().max(MAX_STATE_BYTES / 2) }),
    maxBytes: MAX_STATE_BYTES,
    response: stateVerdictSchema,
  }),
  rewind: defineEndpoint({
    method: 'POST',
    path: '/runs/:runId/rewind',
    summary:
      'Back to a node where the run was, or to the beginning of the one it is at; `resume` then does it again.',
    params,
    body: z.strictObject({
      nodeId: z.string().min(1).max(200),
      /** Also takes back what was changed in the project since. */
      undoesFiles: z.boolean(),
    }),
    response: z.strictObject({ status: runStatusSchema, files: undoneSchema.shape.files }),
  }),
  fileDiff: defineEndpoint({
    method: 'GET',
    path: '/runs/:runId/file-diff',
    summary: 'What became of a file: from before the run first touched it until now, or by one change.',
    params,
    query: fileDiffQuerySchema,
    response: fileDiffSchema,
  }),
  findFiles: defineEndpoint({
    method: 'GET',
    path: '/runs/:runId/files/find',
    summary:
      'Files of the package or the state of a run whose path fits some letters in order, the best fit first.',
    params,
    query: mountedFindQuerySchema,
    response: foundFilesSchema,
  }),
  context: defineEndpoint({
    method: 'GET',
    path: '/runs/:runId/context',
    summary: 'What the model was sent last, and what it would be sent next, part by part.',
    params,
    response: shownContextSchema,
  }),
  log: defineEndpoint({
    method: 'GET',
    path: '/runs/:runId/log',
    summary: 'Stored events of a run in order, from behind a number on.',
    params,
    query: z.strictObject({ after: countSchema.optional(), limit: countSchema.optional() }),
    response: z.strictObject({ events: z.array(runEventSchema), lastSeq: z.int() }),
  }),
  exportFile: defineEndpoint({
    method: 'GET',
    path: '/runs/:runId/export',
    summary: 'The run as one file to keep or hand on.',
    params,
    query: z.strictObject({ format: z.enum(['md', 'json', 'html']).default('md') }),
    givesFile: true,
  }),
  events: defineEndpoint({
    method: 'GET',
    path: '/runs/:runId/events',
    summary: 'What happens in a run, as it happens; from behind `Last-Event-ID` (or `after`) on.',
    params,
    query: z.strictObject({ after: countSchema.optional() }),
    message: runMessageSchema,
  }),
};
