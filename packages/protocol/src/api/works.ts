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
import { comparisonSchema } from '../compare.ts';
import { runEventSchema } from '../events.ts';
import { evidenceSchema } from '../evidence-schema.ts';
import { journalEntrySchema, undoneFileSchema, undoSelectionSchema } from '../journal.ts';
import { LANGUAGES } from '../languages.ts';
import { runModelSchema } from '../model.ts';
import { runPhaseSchema } from '../run.ts';
import { nonEmptySchema, positiveCountSchema } from '../scalars.ts';
import { runLimitsSchema } from '../settings.ts';
import { approvalPresetSchema, systemToolPolicySchema } from '../tools.ts';
import { workGroupSchema } from '../work-position.ts';
import * as z from '../zod.ts';
import { defineEndpoint } from './define-endpoint.ts';
import {
  fileDiffQuerySchema,
  fileDiffSchema,
  fileVersionQuerySchema,
  fileVersionSchema,
} from './file-diff.ts';
import {
  declaredSchema,
  rerunPlanSchema,
  rerunSchema,
  resumePreviewSchema,
  shownStaleSchema,
  undeclaredListSchema,
} from './file-use.ts';
import { foundFilesSchema, mountedFindQuerySchema } from './files.ts';
import {
  compareFileQuerySchema,
  compareQuerySchema,
  forkedSchema,
  forkListSchema,
  forkPlanSchema,
  forkPointSchema,
  forkSchema,
} from './forks.ts';
import { flagSchema, packageHashSchema, queryCountSchema, storeIdSchema } from './ids.ts';
import { documentsSchema, labelsSchema, limitsSchema, modelSchema, textSchema } from './run-options.ts';
import { upgradePlanSchema, upgradeSchema } from './run-upgrade.ts';
import { savedTestSchema } from './saved-test.ts';
import { rebuiltRequestSchema, shownContextSchema } from './shown-context.ts';
import {
  conversationStateSchema,
  itemPageSchema,
  storySchema,
  workListSchema,
  workMessageSchema,
  workStatusSchema,
  workSummarySchema,
} from './work-messages.ts';

/** An agent of an installed package; default: the package's only or entry agent. */
const agentShape = {
  packageHash: z.optional(packageHashSchema),
  agent: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
};

const workflowShape = {
  ...agentShape,
  workflow: z.optional(z.string().check(z.minLength(1), z.maxLength(500))),
};

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

const stopPositionSchema = z.strictObject({
  /** Title of the step, or its id. */
  title: z.string(),
  files: z.int(),
  /** There is a step to return to. */
  canGoBack: z.boolean(),
});
export type StopPosition = z.infer<typeof stopPositionSchema>;

const MAX_STATE_BYTES = 4 * 1024 * 1024;

export const works = {
  list: defineEndpoint(
    'GET /works',
    'Lists conversations and runs by page, most recently changed first; archived conversations on request only.',
    {
      query: z.strictObject({
        project: z.optional(storeIdSchema),
        /** `any`: archived conversations as well as others. */
        archived: z.optional(z.union([flagSchema, z.literal('any')])),
        phase: z.optional(runPhaseSchema),
        /** `roots`: Works without a parent; `inbox`: those that wait for the user, and left runs. Default: all. */
        list: z.optional(z.enum(['roots', 'inbox'])),
        status: z.optional(workGroupSchema),
        /** Words that its title contains. */
        text: z.optional(z.string().check(z.maxLength(500))),
        /** Kinds that are found whatever their title is, separated by commas. */
        kinds: z.optional(z.string().check(z.maxLength(100))),
        /** Only this Work. */
        id: z.optional(storeIdSchema),
        limit: z.optional(queryCountSchema),
        /** `next` of the page before. */
        after: z.optional(z.string().check(z.maxLength(100))),
      }),
      response: workListSchema,
    },
  ),
  create: defineEndpoint(
    'POST /works',
    'Starts a conversation with an agent, without an agent or with a workflow, or a standalone run.',
    {
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
        /** Of a team: only a worker with these labels executes it. */
        labels: z.optional(labelsSchema),
        /** Creates a run without starting it; `resume` starts it. */
        isHeldBack: z._default(z.boolean(), false),
      }),
      response: workStatusSchema,
      status: 201,
    },
  ),
  show: defineEndpoint(
    'GET /works/:workId',
    'Shows a Work and its runs, each with its last items; `items` has the earlier ones.',
    {
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
    },
  ),
  position: defineEndpoint(
    'GET /works/:workId/position',
    'Shows at which step a run is and how many files it has written, without its story.',
    {
      response: z.strictObject({
        /** Undefined if its state or its package cannot be read. */
        position: z.optional(stopPositionSchema),
      }),
    },
  ),
  change: defineEndpoint(
    'PATCH /works/:workId',
    'Renames, archives or restores a conversation; sets what a Work may do without asking.',
    {
      body: z.strictObject({
        title: z.optional(z.string().check(z.maxLength(2_000))),
        isArchived: z.optional(z.boolean()),
        /** Refused while a turn is under way. */
        approval: z.optional(approvalPresetSchema),
      }),
      response: workSummarySchema,
    },
  ),
  remove: defineEndpoint(
    'DELETE /works/:workId',
    'Deletes a Work and its runs permanently; files they wrote in the project are not changed.',
  ),
  input: defineEndpoint(
    'POST /works/:workId/input',
    'Sends input: a menu choice, a command, or a message to the agent, the run or the model.',
    {
      body: z.strictObject({ text: z.string().check(z.maxLength(200_000)) }),
      response: workStatusSchema,
      status: 202,
    },
  ),
  withdraw: defineEndpoint(
    'POST /works/:workId/withdraw',
    'Takes back a message that waits for the next turn, by the number of the event that queued it.',
    { body: z.strictObject({ inputSeq: positiveCountSchema }), response: workStatusSchema, status: 202 },
  ),
  answer: defineEndpoint(
    'POST /works/:workId/answer',
    'Answers the question of the call `callId`; only once.',
    {
      body: z.strictObject({
        callId: nonEmptySchema,
        answers: z.record(z.string(), z.unknown()),
      }),
      response: workStatusSchema,
      status: 202,
    },
  ),
  approve: defineEndpoint(
    'POST /works/:workId/approve',
    'Approves or denies the action of the call `callId`; only once. An approval has the SHA-256 of the preview that was shown.',
    {
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
    },
  ),
  stop: defineEndpoint(
    'POST /works/:workId/stop',
    'Stops the turn in progress within a second; it can be resumed.',
    { response: workStatusSchema, status: 202 },
  ),
  stopQuestion: defineEndpoint(
    'POST /works/:workId/stop-question',
    'Skips the question of the call `callId` and stops, without a turn; stops the turn in progress if it was answered meanwhile.',
    { body: z.strictObject({ callId: nonEmptySchema }), response: workStatusSchema, status: 202 },
  ),
  resume: defineEndpoint(
    'POST /works/:workId/resume',
    'Resumes the active run or the thread without input; optionally another run of the project, or with another model.',
    {
      body: z.strictObject({ model: z.optional(modelSchema), runId: z.optional(storeIdSchema) }),
      response: workStatusSchema,
      status: 202,
    },
  ),
  waive: defineEndpoint(
    'POST /works/:workId/waive',
    'Lets the run leave its current step although a check is not met: the named one, or all that are missing. The reason is recorded.',
    {
      body: z.strictObject({
        check: z.optional(nonEmptySchema),
        reason: nonEmptySchema.check(z.maxLength(2_000)),
      }),
      response: workStatusSchema,
      status: 202,
    },
  ),
  skip: defineEndpoint(
    'POST /works/:workId/skip',
    'Goes on without the sub-workflow that is called: the innermost one, or that of the node that is named, along the edge to a node, or the only one.',
    {
      body: z.strictObject({ to: z.optional(z.string()), nodeId: z.optional(z.string()) }),
      response: workStatusSchema,
      status: 202,
    },
  ),
  enterAgent: defineEndpoint(
    'POST /works/:workId/agent',
    'Switches the conversation to an agent; leaves the active run.',
    { body: z.strictObject(agentShape), response: workStatusSchema },
  ),
  dismissAgent: defineEndpoint('POST /works/:workId/dismiss', 'Dismisses the agent of the conversation.', {
    response: workStatusSchema,
  }),
  startWorkflow: defineEndpoint(
    'POST /works/:workId/workflow',
    'Starts a run of a workflow, which receives the input from here on.',
    {
      body: z.strictObject({ ...workflowShape, input: z.optional(textSchema), documents: documentsSchema }),
      response: workStatusSchema,
      status: 202,
    },
  ),
  setModel: defineEndpoint(
    'POST /works/:workId/model',
    'Switches the model of a conversation; not while a turn is in progress.',
    { body: z.strictObject({ model: modelSchema }), response: workStatusSchema },
  ),
  allowChange: defineEndpoint(
    'POST /works/:workId/allow-change',
    'Allows one change of the state of a completed run.',
  ),
  changes: defineEndpoint(
    'GET /works/:workId/changes',
    'Lists the file changes of a Work, with those of runs that it called; each run of a conversation has its own changes.',
    { response: z.strictObject({ changes: z.array(journalEntrySchema) }) },
  ),
  undo: defineEndpoint('POST /works/:workId/undo', 'Undoes changes of one call, one node, or all.', {
    body: undoSelectionSchema,
    response: undoneSchema,
  }),
  redo: defineEndpoint('POST /works/:workId/redo', 'Redoes changes that were undone.', {
    body: undoSelectionSchema,
    response: undoneSchema,
  }),
  state: defineEndpoint('GET /works/:workId/state', 'Reads the state document of a run.', {
    response: stateSchema,
  }),
  editState: defineEndpoint(
    'PUT /works/:workId/state',
    'Writes the state document, under the same gate as the model; not while a turn is in progress.',
    {
      body: z.strictObject({
        text: z.string().check(z.maxLength(MAX_STATE_BYTES / 2)),
        ifMatchSha256: packageHashSchema,
      }),
      maxBytes: MAX_STATE_BYTES,
      response: z.strictObject({ ...stateSchema.shape, notes: z.array(z.string()) }),
    },
  ),
  checkState: defineEndpoint(
    'POST /works/:workId/state/check',
    'Checks a state document against the gate; changes nothing.',
    {
      body: z.strictObject({ text: z.string().check(z.maxLength(MAX_STATE_BYTES / 2)) }),
      maxBytes: MAX_STATE_BYTES,
      response: stateVerdictSchema,
    },
  ),
  rewind: defineEndpoint(
    'POST /works/:workId/rewind',
    'Rewinds the run to an earlier node, or to the beginning of the current one; `resume` continues from there.',
    {
      body: z.strictObject({
        nodeId: z.string().check(z.minLength(1), z.maxLength(200)),
        /** Also undoes file changes in the project since then. */
        undoesFiles: z.boolean(),
      }),
      response: z.strictObject({ status: workStatusSchema, files: undoneSchema.shape.files }),
    },
  ),
  planFork: defineEndpoint(
    'POST /works/:workId/fork/plan',
    'Shows what a fork at a visit of a node would do, with the project files that are different now.',
    { body: forkPointSchema, response: forkPlanSchema },
  ),
  fork: defineEndpoint(
    'POST /works/:workId/fork',
    'Creates a run that goes on from a point of this one, which does not change; `resume` continues it.',
    { body: forkSchema, response: forkedSchema, status: 201 },
  ),
  forks: defineEndpoint('GET /works/:workId/forks', 'Lists the forks of a run, the newest first.', {
    response: forkListSchema,
  }),
  compare: defineEndpoint('GET /compare', 'Compares two to six runs.', {
    query: compareQuerySchema,
    response: comparisonSchema,
  }),
  compareFile: defineEndpoint('GET /compare/file', 'The difference of a file between two runs.', {
    query: compareFileQuerySchema,
    response: fileDiffSchema,
  }),
  showUpgrade: defineEndpoint(
    'GET /works/:workId/upgrade',
    'Shows what moving a run to the newest installed version of its package would change.',
    { response: upgradePlanSchema },
  ),
  upgrade: defineEndpoint(
    'POST /works/:workId/upgrade',
    'Moves a run that is not in progress to another version of its package; `resume` continues it.',
    { body: upgradeSchema },
  ),
  saveTest: defineEndpoint(
    'POST /works/:workId/test',
    'Saves a completed run as a test in the folder that its package was installed from.',
    {
      body: z.strictObject({ name: nonEmptySchema.check(z.maxLength(200)) }),
      response: savedTestSchema,
      status: 201,
    },
  ),
  fileDiff: defineEndpoint(
    'GET /works/:workId/file-diff',
    'Shows the diff of a file: over the whole Work, or of one change.',
    { query: fileDiffQuerySchema, response: fileDiffSchema },
  ),
  fileVersion: defineEndpoint(
    'GET /works/:workId/file-version',
    'Reads a file as it was before or after one of its changes.',
    { query: fileVersionQuerySchema, response: fileVersionSchema },
  ),
  findFiles: defineEndpoint(
    'GET /works/:workId/files/find',
    'Finds files of the active package or state by letters of their path in order, best match first.',
    { query: mountedFindQuerySchema, response: foundFilesSchema },
  ),
  context: defineEndpoint(
    'GET /works/:workId/context',
    'Shows the last and the next request to the model, part by part.',
    { response: shownContextSchema },
  ),
  request: defineEndpoint(
    'GET /works/:workId/request',
    'Rebuilds the request of a turn from the log, part by part, and compares it with the hash of what was sent.',
    { query: z.strictObject({ turn: queryCountSchema }), response: rebuiltRequestSchema },
  ),
  resumePreview: defineEndpoint(
    'GET /works/:workId/resume-preview',
    'Shows what happens when a run goes on: cut off calls, the next step and request, files that others changed.',
    { response: resumePreviewSchema },
  ),
  stale: defineEndpoint(
    'GET /works/:workId/stale',
    'Lists the steps of a run that are out of date, with the reasons and their results.',
    { response: shownStaleSchema },
  ),
  undeclared: defineEndpoint(
    'GET /works/:workId/undeclared',
    'Lists the files that steps of a run used and do not declare.',
    { response: undeclaredListSchema },
  ),
  declare: defineEndpoint(
    'POST /works/:workId/declare',
    'Adds those files to the steps in the folder that the package was installed from.',
    { response: declaredSchema },
  ),
  planRerun: defineEndpoint(
    'GET /works/:workId/rerun',
    'Shows what a rerun of the steps that are out of date would do.',
    { response: rerunPlanSchema },
  ),
  rerun: defineEndpoint(
    'POST /works/:workId/rerun',
    'Creates a run that makes again what is out of date and takes over the rest; `resume` starts it.',
    { body: rerunSchema, response: forkedSchema, status: 201 },
  ),
  contextSize: defineEndpoint(
    'GET /works/:workId/context-size',
    'Shows how many tokens a request to its model may have.',
    { response: z.pick(shownContextSchema, { contextTokens: true }) },
  ),
  menu: defineEndpoint(
    'GET /works/:workId/menu',
    'Lists the menu of its agent on the surface of the client; empty without an agent.',
    { response: z.strictObject({ entries: menuShownShape.entries }) },
  ),
  checkLog: defineEndpoint(
    'GET /works/:workId/log-check',
    'Reads its own log and tells whether it was changed by others.',
    { response: z.strictObject({ lastSeq: z.int(), isIntact: z.boolean(), brokenAt: z.optional(z.int()) }) },
  ),
  evidence: defineEndpoint(
    'GET /works/:workId/evidence',
    'Shows what happened in each visit of each step of a run, and how far it is proved.',
    { response: evidenceSchema },
  ),
  items: defineEndpoint(
    'GET /works/:workId/items',
    'Reads the items of its own log before a sequence number; without one, the last ones.',
    {
      query: z.strictObject({ before: z.optional(queryCountSchema), limit: z.optional(queryCountSchema) }),
      response: itemPageSchema,
    },
  ),
  log: defineEndpoint(
    'GET /works/:workId/log',
    'Reads stored events of its own log in order, after a sequence number.',
    {
      query: z.strictObject({ after: z.optional(queryCountSchema), limit: z.optional(queryCountSchema) }),
      response: z.strictObject({ events: z.array(runEventSchema), lastSeq: z.int() }),
    },
  ),
  exportFile: defineEndpoint('GET /works/:workId/export', 'Exports the run as one file.', {
    query: z.strictObject({
      format: z._default(z.enum(['md', 'json', 'html', 'docx', 'pdf', 'handover']), 'md'),
      language: z._default(z.enum(LANGUAGES), 'en'),
    }),
    returnsFile: true,
  }),
  exportArtifact: defineEndpoint(
    'GET /works/:workId/export-file',
    'Exports one text file of its project as a document.',
    {
      query: z.strictObject({
        path: z.string().check(z.maxLength(4_096)),
        format: z._default(z.enum(['html', 'docx', 'pdf']), 'docx'),
      }),
      returnsFile: true,
    },
  ),
  events: defineEndpoint(
    'GET /works/:workId/events',
    'Streams the events of its own log, after `Last-Event-ID` (or `after`).',
    { query: z.strictObject({ after: z.optional(queryCountSchema) }), message: workMessageSchema },
  ),
};
