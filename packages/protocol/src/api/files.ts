/**
 * The files of a project as people see and change them. Every path is a mount path in the project (`@project/docs/a.md`);
 * no path of the machine goes in or out.
 */
import * as z from '../zod.ts';
import { defineEndpoint } from './define-endpoint.ts';
import { countSchema, flagSchema, storeIdSchema } from './ids.ts';

/** As a person's program writes it; what it may lead to is decided where files are opened. */
export const filePathSchema = z
  .string()
  .max(4_096)
  .regex(/^@project(?:\/|$)/, 'a path begins with @project/');

export const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/);

export const fileEncodingSchema = z.enum(['utf8', 'utf8-bom', 'utf16le', 'utf16be', 'latin1']);
export type FileEncoding = z.infer<typeof fileEncodingSchema>;

export const lineEndingSchema = z.enum(['lf', 'crlf', 'mixed', 'none']);
export type LineEnding = z.infer<typeof lineEndingSchema>;

export const fileEntrySchema = z.strictObject({
  name: z.string(),
  kind: z.enum(['file', 'folder', 'link', 'other']),
  /** Of a file. */
  bytes: z.int().min(0).optional(),
  modifiedAt: z.iso.datetime().optional(),
  /** Its content is not shown. */
  isSecret: z.boolean(),
  /** On the list of what is usually hidden: leavings of systems, version control, package managers. */
  isIgnored: z.boolean(),
  /** Its name cannot be written as a path; `name` shows it with marks in place of what cannot be seen. */
  isOutOfReach: z.literal(true).optional(),
});
export type FileEntry = z.infer<typeof fileEntrySchema>;

/** Folders first, each in natural order (`a2` before `a10`). */
export const fileListResponseSchema = z.strictObject({
  path: filePathSchema,
  entries: z.array(fileEntrySchema),
  total: z.int().min(0),
  isTruncated: z.boolean(),
});
export type FileList = z.infer<typeof fileListResponseSchema>;

const fileFactsShape = {
  path: filePathSchema,
  bytes: z.int().min(0),
  modifiedAt: z.iso.datetime(),
  /** A guess by name. */
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
  /** The hash of the content that was changed; null for a file that is not there yet. */
  ifMatchSha256: sha256Schema.nullable(),
};

export const fileSaveRequestSchema = z.union([
  z.strictObject({
    ...fileSaveShape,
    text: z.string(),
    /** That of the file as it is, if left out; UTF-8 for a new one. */
    encoding: fileEncodingSchema.optional(),
    /** The text is written as it stands, if left out. */
    lineEnding: z.enum(['lf', 'crlf']).optional(),
  }),
  z.strictObject({ ...fileSaveShape, base64: z.base64() }),
]);
export type FileSaveRequest = z.infer<typeof fileSaveRequestSchema>;

/** Something a person did, and whether it can be taken back. */
export const fileChangeSchema = z.strictObject({
  id: z.uuid(),
  at: z.iso.datetime(),
  kind: z.enum(['saved', 'created', 'moved', 'removed']),
  path: filePathSchema,
  /** Where it was moved. */
  to: filePathSchema.optional(),
  isFolder: z.boolean(),
  isUndone: z.boolean(),
  isUndoable: z.boolean(),
});
export type FileChange = z.infer<typeof fileChangeSchema>;

export const fileSaveResponseSchema = z.strictObject({
  path: filePathSchema,
  bytes: z.int().min(0),
  modifiedAt: z.iso.datetime(),
  sha256: sha256Schema,
  /** null when the file held just that already. */
  change: fileChangeSchema.nullable(),
});
export type SavedFile = z.infer<typeof fileSaveResponseSchema>;

export const fileCreateRequestSchema = z.strictObject({ path: filePathSchema, text: z.string().optional() });
export const folderCreateRequestSchema = z.strictObject({ path: filePathSchema });
export const fileMoveRequestSchema = z.strictObject({ from: filePathSchema, to: filePathSchema });

export const fileRemoveRequestSchema = z.strictObject({
  path: filePathSchema,
  /** It cannot be undone. Needed for what is too large to be kept; the refusal says so (`isFinalNeeded`). */
  isFinal: z.boolean().optional(),
});

export const fileUndoRequestSchema = z.strictObject({ id: z.uuid() });

/** What creating a folder, moving, removing, undoing and redoing answer. */
export const fileChangeResponseSchema = z.strictObject({ change: fileChangeSchema });

/** The latest first. */
export const fileChangesResponseSchema = z.strictObject({ changes: z.array(fileChangeSchema) });

export const fileEventSchema = z.strictObject({
  path: filePathSchema,
  kind: z.enum(['created', 'changed', 'removed']),
  isFolder: z.literal(true).optional(),
});
export type FileEvent = z.infer<typeof fileEventSchema>;

export const fileWatchMessageSchema = z.discriminatedUnion('type', [
  /** Said first, and whenever it changes: while it is false nothing is told of the project. */
  z.strictObject({ type: z.literal('watching'), isWatching: z.boolean() }),
  z.strictObject({ type: z.literal('changes'), changes: z.array(fileEventSchema) }),
  /** Too much happened to tell: read again what is shown. */
  z.strictObject({ type: z.literal('overflow') }),
]);
export type FileWatchMessage = z.infer<typeof fileWatchMessageSchema>;

const findShape = {
  text: z.string().max(200),
  /** 50 if left out, 200 at most. */
  limit: countSchema.optional(),
};

/** In what a run or a talk sees besides the project. */
export const mountedFindQuerySchema = z.strictObject({ mount: z.enum(['pkg', 'state']), ...findShape });

export const foundFilesSchema = z.strictObject({
  /** The best fit first. */
  paths: z.array(z.string().regex(/^@(?:project|pkg|state)\//, 'a path on a mount')),
  /** There are more files than were looked through. */
  isCut: z.boolean(),
});

const params = z.strictObject({ projectId: storeIdSchema });
const query = z.strictObject({ path: filePathSchema });

/** What an editor saves, with room for how JSON writes it. */
const MAX_SAVE_BYTES = 48 * 1024 * 1024;

export const files = {
  list: defineEndpoint({
    method: 'GET',
    path: '/projects/:projectId/files',
    summary: 'What is in a folder of the project.',
    params,
    query: z.strictObject({
      path: filePathSchema,
      /** Also names that begin with a dot, and those of the ignore list. */
      hidden: flagSchema.optional(),
    }),
    response: fileListResponseSchema,
  }),
  read: defineEndpoint({
    method: 'GET',
    path: '/projects/:projectId/file',
    summary: 'A file with its hash; its text where it is one.',
    params,
    query,
    response: fileReadResponseSchema,
  }),
  download: defineEndpoint({
    method: 'GET',
    path: '/projects/:projectId/file/bytes',
    summary: 'A file as it is, for images and downloads.',
    params,
    query,
    givesFile: true,
  }),
  save: defineEndpoint({
    method: 'PUT',
    path: '/projects/:projectId/file',
    summary: 'Writes a file, if it still is what was read. Can be undone.',
    params,
    body: fileSaveRequestSchema,
    maxBytes: MAX_SAVE_BYTES,
    response: fileSaveResponseSchema,
  }),
  createFile: defineEndpoint({
    method: 'POST',
    path: '/projects/:projectId/files',
    summary: 'Makes a file that is not there yet.',
    params,
    body: fileCreateRequestSchema,
    response: fileSaveResponseSchema,
    status: 201,
  }),
  createFolder: defineEndpoint({
    method: 'POST',
    path: '/projects/:projectId/files/folders',
    summary: 'Makes a folder.',
    params,
    body: folderCreateRequestSchema,
    response: fileChangeResponseSchema,
    status: 201,
  }),
  move: defineEndpoint({
    method: 'POST',
    path: '/projects/:projectId/files/move',
    summary: 'Moves or renames a file or a folder, never onto something that is there.',
    params,
    body: fileMoveRequestSchema,
    response: fileChangeResponseSchema,
  }),
  remove: defineEndpoint({
    method: 'POST',
    path: '/projects/:projectId/files/remove',
    summary: 'Removes a file or a folder with all that is in it. Can be undone, unless it is final.',
    params,
    body: fileRemoveRequestSchema,
    response: fileChangeResponseSchema,
  }),
  find: defineEndpoint({
    method: 'GET',
    path: '/projects/:projectId/files/find',
    summary: 'Files of the project whose path fits some letters in order, the best fit first.',
    params,
    query: z.strictObject(findShape),
    response: foundFilesSchema,
  }),
  reveal: defineEndpoint({
    method: 'POST',
    path: '/projects/:projectId/files/reveal',
    summary: "Shows a file or folder in the desktop's own file manager.",
    params,
    body: z.strictObject({ path: filePathSchema }),
  }),
  changes: defineEndpoint({
    method: 'GET',
    path: '/projects/:projectId/files/changes',
    summary: 'What people did with the files of the project, the latest first.',
    params,
    response: fileChangesResponseSchema,
  }),
  undo: defineEndpoint({
    method: 'POST',
    path: '/projects/:projectId/files/undo',
    summary: 'Takes back one such change; a conflict with a later one is refused.',
    params,
    body: fileUndoRequestSchema,
    response: fileChangeResponseSchema,
  }),
  redo: defineEndpoint({
    method: 'POST',
    path: '/projects/:projectId/files/redo',
    summary: 'Makes a change again that was undone.',
    params,
    body: fileUndoRequestSchema,
    response: fileChangeResponseSchema,
  }),
  events: defineEndpoint({
    method: 'GET',
    path: '/projects/:projectId/files/events',
    summary: 'What happens to the files of the project, whoever does it.',
    params,
    message: z.strictObject({ type: z.literal('files'), data: fileWatchMessageSchema }),
  }),
};
