/**
 * The files of a project over HTTP. Every path is a mount path in the project (`@project/docs/a.md`); no path of the machine
 * goes in or out.
 */

import { countSchema, sha256Schema } from '../scalars.ts';
import * as z from '../zod.ts';
import { MAX_ATTACHMENT_BYTES } from './attachments.ts';
import { defineEndpoint } from './define-endpoint.ts';
import { flagSchema, queryCountSchema } from './ids.ts';

/** Not checked further here; access is checked where files are opened. */
export const filePathSchema = z
  .string()
  .check(z.maxLength(4_096), z.regex(/^@project(?:\/|$)/, 'a path begins with @project/'));

export const fileEncodingSchema = z.enum(['utf8', 'utf8-bom', 'utf16le', 'utf16be', 'latin1']);
export type FileEncoding = z.infer<typeof fileEncodingSchema>;

export const lineEndingSchema = z.enum(['lf', 'crlf', 'mixed', 'none']);
export type LineEnding = z.infer<typeof lineEndingSchema>;

export const fileEntrySchema = z.strictObject({
  name: z.string(),
  kind: z.enum(['file', 'folder', 'link', 'other']),
  /** Files only. */
  bytes: z.optional(countSchema),
  modifiedAt: z.optional(z.iso.datetime()),
  /** The content is not shown. */
  isSecret: z.boolean(),
  /** On the list of usually hidden files: artifacts of operating systems, version control, package managers. */
  isIgnored: z.boolean(),
  /** The name is not a valid path; `name` has marks in place of invisible characters. */
  isOutOfReach: z.optional(z.literal(true)),
});
export type FileEntry = z.infer<typeof fileEntrySchema>;

/** Folders first, each in natural order (`a2` before `a10`). */
export const fileListResponseSchema = z.strictObject({
  path: filePathSchema,
  entries: z.array(fileEntrySchema),
  total: countSchema,
  isTruncated: z.boolean(),
});
export type FileList = z.infer<typeof fileListResponseSchema>;

const fileFactsShape = {
  path: filePathSchema,
  bytes: countSchema,
  modifiedAt: z.iso.datetime(),
  /** Guessed from the name. */
  mime: z.string(),
};

export const fileReadResponseSchema = z.union([
  z.strictObject({
    ...fileFactsShape,
    isTooLarge: z.literal(false),
    kind: z.literal('text'),
    sha256: sha256Schema,
    text: z.string(),
    encoding: fileEncodingSchema,
    lineEnding: lineEndingSchema,
  }),
  z.strictObject({
    ...fileFactsShape,
    isTooLarge: z.literal(false),
    kind: z.literal('binary'),
    sha256: sha256Schema,
  }),
  z.strictObject({ ...fileFactsShape, isTooLarge: z.literal(true) }),
]);
export type FileContent = z.infer<typeof fileReadResponseSchema>;

const fileSaveShape = {
  path: filePathSchema,
  /** Hash of the content that was edited; null for a new file. */
  ifMatchSha256: z.nullable(sha256Schema),
};

export const fileSaveRequestSchema = z.union([
  z.strictObject({
    ...fileSaveShape,
    text: z.string(),
    /** Default: the encoding of the file; UTF-8 for a new file. */
    encoding: z.optional(fileEncodingSchema),
    /** Default: the text is written unchanged. */
    lineEnding: z.optional(z.enum(['lf', 'crlf'])),
  }),
  z.strictObject({ ...fileSaveShape, base64: z.base64() }),
]);
export type FileSaveRequest = z.infer<typeof fileSaveRequestSchema>;

/** An operation by a person, and whether it can be undone. */
export const fileChangeSchema = z.strictObject({
  id: z.uuid(),
  at: z.iso.datetime(),
  kind: z.enum(['saved', 'created', 'moved', 'removed']),
  path: filePathSchema,
  /** The new path after a move. */
  to: z.optional(filePathSchema),
  isFolder: z.boolean(),
  isUndone: z.boolean(),
  isUndoable: z.boolean(),
});
export type FileChange = z.infer<typeof fileChangeSchema>;

export const fileSaveResponseSchema = z.strictObject({
  path: filePathSchema,
  bytes: countSchema,
  modifiedAt: z.iso.datetime(),
  sha256: sha256Schema,
  /** null if the file already had this content. */
  change: z.nullable(fileChangeSchema),
});
export type SavedFile = z.infer<typeof fileSaveResponseSchema>;

export const fileRemoveRequestSchema = z.strictObject({
  path: filePathSchema,
  /** Removes without undo. Required for content that is too large to store; the error says so (`isFinalNeeded`). */
  isFinal: z.optional(z.boolean()),
});

export const fileUndoRequestSchema = z.strictObject({ id: z.uuid() });

/** Response of creating a folder, moving, removing, undoing and redoing. */
export const fileChangeResponseSchema = z.strictObject({ change: fileChangeSchema });

/** Newest first. */
export const fileChangesResponseSchema = z.strictObject({ changes: z.array(fileChangeSchema) });

export const fileEventSchema = z.strictObject({
  path: filePathSchema,
  kind: z.enum(['created', 'changed', 'removed']),
  isFolder: z.optional(z.literal(true)),
});
export type FileEvent = z.infer<typeof fileEventSchema>;

export const fileWatchMessageSchema = z.discriminatedUnion('type', [
  /** Sent first, and on every change; while it is false, no changes are reported. */
  z.strictObject({ type: z.literal('watching'), isWatching: z.boolean() }),
  z.strictObject({ type: z.literal('changes'), changes: z.array(fileEventSchema) }),
  /** Too many changes to report: reload everything that is shown. */
  z.strictObject({ type: z.literal('overflow') }),
]);
export type FileWatchMessage = z.infer<typeof fileWatchMessageSchema>;

const findShape = {
  text: z.string().check(z.maxLength(200)),
  /** Default 50, at most 200. */
  limit: z.optional(queryCountSchema),
};

/** Searches the mounts of a run or a thread other than the project. */
export const mountedFindQuerySchema = z.strictObject({ mount: z.enum(['pkg', 'state']), ...findShape });

export const foundFilesSchema = z.strictObject({
  /** Best match first. */
  paths: z.array(z.string().check(z.regex(/^@(?:project|pkg|state)\//, 'a path on a mount'))),
  /** There are more files than were searched. */
  isCut: z.boolean(),
});

const oneFile = z.strictObject({ path: filePathSchema });

/** The limit of the editor, plus room for JSON escapes. */
const MAX_SAVE_BYTES = 48 * 1024 * 1024;

export const files = {
  list: defineEndpoint('GET /projects/:projectId/files', 'Lists a folder of the project.', {
    query: z.strictObject({
      path: filePathSchema,
      /** Also lists names that begin with a dot, and names of the ignore list. */
      hidden: z.optional(flagSchema),
    }),
    response: fileListResponseSchema,
  }),
  read: defineEndpoint(
    'GET /projects/:projectId/file',
    'Reads a file with its hash, and its text if it is a text file.',
    { query: oneFile, response: fileReadResponseSchema },
  ),
  download: defineEndpoint('GET /projects/:projectId/file/bytes', 'Downloads a file.', {
    query: oneFile,
    returnsFile: true,
  }),
  save: defineEndpoint(
    'PUT /projects/:projectId/file',
    'Writes a file if it has not changed since it was read. Can be undone.',
    { body: fileSaveRequestSchema, maxBytes: MAX_SAVE_BYTES, response: fileSaveResponseSchema },
  ),
  createFile: defineEndpoint('POST /projects/:projectId/files', 'Creates a file that does not exist yet.', {
    body: z.strictObject({ path: filePathSchema, text: z.optional(z.string()) }),
    response: fileSaveResponseSchema,
    status: 201,
  }),
  addSamples: defineEndpoint(
    'POST /projects/:projectId/samples',
    'Puts the sample documents of an installed package into the project. Files that are there stay as they are. Can be undone.',
    {
      body: z.strictObject({ packageHash: sha256Schema }),
      /** The files that were added. */
      response: z.strictObject({ paths: z.array(filePathSchema) }),
    },
  ),
  attach: defineEndpoint(
    'POST /projects/:projectId/attachments',
    'Stores an uploaded file in the folder `attachments` of the project, under a name that is free. Can be undone.',
    {
      query: z.strictObject({ name: z.string().check(z.minLength(1), z.maxLength(1_000)) }),
      acceptsBytes: true,
      maxBytes: MAX_ATTACHMENT_BYTES,
      response: fileSaveResponseSchema,
      status: 201,
    },
  ),
  createFolder: defineEndpoint('POST /projects/:projectId/files/folders', 'Creates a folder.', {
    body: oneFile,
    response: fileChangeResponseSchema,
    status: 201,
  }),
  move: defineEndpoint(
    'POST /projects/:projectId/files/move',
    'Moves or renames a file or folder; never overwrites.',
    {
      body: z.strictObject({ from: filePathSchema, to: filePathSchema }),
      response: fileChangeResponseSchema,
    },
  ),
  remove: defineEndpoint(
    'POST /projects/:projectId/files/remove',
    'Removes a file, or a folder with its contents. Can be undone unless it is final.',
    { body: fileRemoveRequestSchema, response: fileChangeResponseSchema },
  ),
  find: defineEndpoint(
    'GET /projects/:projectId/files/find',
    'Finds files of the project by letters of their path in order, best match first.',
    { query: z.strictObject(findShape), response: foundFilesSchema },
  ),
  reveal: defineEndpoint(
    'POST /projects/:projectId/files/reveal',
    "Shows a file or folder in the desktop's own file manager.",
    { body: oneFile },
  ),
  changes: defineEndpoint(
    'GET /projects/:projectId/files/changes',
    'Lists the file operations of people in the project, newest first.',
    { response: fileChangesResponseSchema },
  ),
  undo: defineEndpoint(
    'POST /projects/:projectId/files/undo',
    'Undoes one file operation; rejected if it conflicts with a later change.',
    { body: fileUndoRequestSchema, response: fileChangeResponseSchema },
  ),
  redo: defineEndpoint('POST /projects/:projectId/files/redo', 'Redoes a file operation that was undone.', {
    body: fileUndoRequestSchema,
    response: fileChangeResponseSchema,
  }),
  events: defineEndpoint(
    'GET /projects/:projectId/files/events',
    'Streams changes of the files of the project, whatever their origin.',
    { message: z.strictObject({ type: z.literal('files'), data: fileWatchMessageSchema }) },
  ),
};
