/** What a Work has changed, used and been sent; its state, forks, reruns and upgrades. */
import { comparisonSchema } from '../compare.ts';
import { journalEntrySchema, undoneFileSchema, undoSelectionSchema } from '../journal.ts';
import { nonEmptySchema } from '../scalars.ts';
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
import { packageHashSchema, queryCountSchema } from './ids.ts';
import { upgradePlanSchema, upgradeSchema } from './run-upgrade.ts';
import { savedTestSchema } from './saved-test.ts';
import { rebuiltRequestSchema, shownContextSchema } from './shown-context.ts';
import { workStatusSchema } from './work-messages.ts';

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

export const workInspector = {
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
};
