/**
 * Editing package folders of this machine over HTTP. A folder is opened first; only its files are read and written, and only if
 * they are those that the author saw.
 */
import { authorEditSchema, authorModelSchema, MAX_AUTHOR_TEXT } from '../author.ts';
import { packageTestReportSchema } from '../package-tests.ts';
import { nonEmptySchema, sha256Schema } from '../scalars.ts';
import * as z from '../zod.ts';
import { defineEndpoint } from './define-endpoint.ts';
import { fileWatchMessageSchema } from './files.ts';
import { pathSchema, storeIdSchema } from './ids.ts';
import { rehearsalSchema } from './imports.ts';
import { shownPromptSchema } from './shown-context.ts';

const openedSchema = z.strictObject({
  folderId: storeIdSchema,
  /** The real path. */
  path: z.string(),
  model: authorModelSchema,
});

export const authoring = {
  open: defineEndpoint('POST /authoring', 'Opens a package folder of this machine for editing.', {
    body: z.strictObject({ path: pathSchema }),
    response: openedSchema,
  }),
  create: defineEndpoint('POST /authoring/new', 'Creates a package in a new or empty folder and opens it.', {
    body: z.strictObject({ path: pathSchema, name: nonEmptySchema.check(z.maxLength(100)) }),
    response: openedSchema,
    status: 201,
  }),
  show: defineEndpoint('GET /authoring/:folderId', 'Validates the package and shows it as it is on disk.', {
    response: authorModelSchema,
  }),
  read: defineEndpoint('GET /authoring/:folderId/file', 'Reads a text file of the package.', {
    query: z.strictObject({ path: pathSchema }),
    response: z.strictObject({ text: z.string(), sha256: sha256Schema }),
  }),
  edit: defineEndpoint(
    'POST /authoring/:folderId/edits',
    'Applies an edit, unless a file that it changes is not the one that the author saw.',
    {
      body: z.strictObject({
        edit: authorEditSchema,
        /** Hashes of files by path, as shown. */
        seen: z.record(z.string(), sha256Schema),
      }),
      // Text as JSON, and the hashes of all files of a large package.
      maxBytes: 4 * MAX_AUTHOR_TEXT,
      response: authorModelSchema,
    },
  ),
  undo: defineEndpoint('POST /authoring/:folderId/undo', 'Undoes the last edit.', {
    response: authorModelSchema,
  }),
  redo: defineEndpoint('POST /authoring/:folderId/redo', 'Makes an edit again that was undone.', {
    response: authorModelSchema,
  }),
  prompt: defineEndpoint(
    'POST /authoring/:folderId/prompt',
    'Shows what a model is sent first at a node, also with texts that are not saved.',
    {
      body: z.strictObject({
        /** Path of the workflow.md; default: the entry workflow. */
        workflow: z.optional(pathSchema),
        /** Default: the entry. */
        nodeId: z.optional(nonEmptySchema),
        /** By path. */
        unsaved: z.record(z.string(), z.string().check(z.maxLength(MAX_AUTHOR_TEXT))),
        variables: z.record(z.string(), z.string()),
      }),
      maxBytes: 4 * MAX_AUTHOR_TEXT,
      response: shownPromptSchema,
    },
  ),
  rehearse: defineEndpoint(
    'POST /authoring/:folderId/rehearse',
    'Rehearses every branch of the package without a model.',
    { response: rehearsalSchema },
  ),
  test: defineEndpoint('POST /authoring/:folderId/test', 'Runs the tests of the package.', {
    response: packageTestReportSchema,
  }),
  events: defineEndpoint('GET /authoring/:folderId/events', 'Reports changes of the files of the package.', {
    message: z.strictObject({ type: z.literal('files'), data: fileWatchMessageSchema }),
  }),
};
