/**
 * Inspection of a Work over HTTP: file changes, state document, requests to the model, log and exports.
 */
import { menuShownShape } from '../command-events.ts';
import { runEventSchema } from '../events.ts';
import { journalEntrySchema, undoneFileSchema, undoSelectionSchema } from '../journal.ts';
import * as z from '../zod.ts';
import { defineEndpoint } from './define-endpoint.ts';
import { evidenceSchema } from './evidence.ts';
import { fileDiffQuerySchema, fileDiffSchema } from './file-diff.ts';
import { foundFilesSchema, mountedFindQuerySchema } from './files.ts';
import { packageHashSchema, queryCountSchema, storeIdSchema } from './ids.ts';
import { shownContextSchema } from './shown-context.ts';
import { workMessageSchema, workStatusSchema } from './work-messages.ts';

const params = z.strictObject({ workId: storeIdSchema });

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

function look<Response extends z.ZodMiniType, Query extends z.ZodMiniObject | undefined = undefined>(
  path: string,
  summary: string,
  response: Response,
  query?: Query,
) {
  return defineEndpoint({
    method: 'GET',
    path: `/works/:workId/${path}`,
    summary,
    params,
    query: query as Query,
    response,
  });
}

export const inspection = {
  changes: look(
    'changes',
    'Lists the file changes of a Work, with those of runs that it called; each run of a conversation has its own changes.',
    z.strictObject({ changes: z.array(journalEntrySchema) }),
  ),
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
  state: look('state', 'Reads the state document of a run.', stateSchema),
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
  fileDiff: look(
    'file-diff',
    'Shows the diff of a file: over the whole Work, or of one change.',
    fileDiffSchema,
    fileDiffQuerySchema,
  ),
  findFiles: look(
    'files/find',
    'Finds files of the active package or state by letters of their path in order, best match first.',
    foundFilesSchema,
    mountedFindQuerySchema,
  ),
  context: look(
    'context',
    'Shows the last and the next request to the model, part by part.',
    shownContextSchema,
  ),
  contextSize: look(
    'context-size',
    'Shows how many tokens a request to its model may have.',
    z.pick(shownContextSchema, { contextTokens: true }),
  ),
  menu: look(
    'menu',
    'Lists the menu of its agent on the surface of the client; empty without an agent.',
    z.strictObject({ entries: menuShownShape.entries }),
  ),
  checkLog: look(
    'log-check',
    'Reads its own log and tells whether it was changed by others.',
    z.strictObject({ lastSeq: z.int(), isIntact: z.boolean(), brokenAt: z.optional(z.int()) }),
  ),
  evidence: look(
    'evidence',
    'Shows what happened in each visit of each step of a run, and how far it is proved.',
    evidenceSchema,
  ),
  log: look(
    'log',
    'Reads stored events of its own log in order, after a sequence number.',
    z.strictObject({ events: z.array(runEventSchema), lastSeq: z.int() }),
    z.strictObject({ after: z.optional(queryCountSchema), limit: z.optional(queryCountSchema) }),
  ),
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
