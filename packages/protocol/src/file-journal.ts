/**
 * File operations by a person other than content changes, as stored on disk: one file per change, and beside it the step in
 * progress while the change is being made or undone. Changed contents are in the journal (`journal.ts`); removed contents are
 * described by a manifest.
 */
import { countSchema, sha256Schema } from './scalars.ts';
import * as z from './zod.ts';

/** A file or folder of the project: no empty part, no `.`, no `..`. */
const pathSchema = z.string().check(z.regex(/^@project(?:\/(?!\.{1,2}(?:\/|$))[^/]+)+$/));

const changeShape = {
  schemaVersion: z.literal(1),
  id: z.uuid(),
  at: z.iso.datetime(),
  path: pathSchema,
  isFolder: z.boolean(),
  isUndone: z.boolean(),
};

export const treeChangeSchema = z.discriminatedUnion('kind', [
  /** A folder was created, preceded by its missing parents, outermost first. */
  z.strictObject({ ...changeShape, kind: z.literal('created'), madeFolders: z.array(pathSchema) }),
  z.strictObject({ ...changeShape, kind: z.literal('moved'), to: pathSchema }),
  z.strictObject({
    ...changeShape,
    kind: z.literal('removed'),
    bytes: countSchema,
    /** The removed content is in the store. */
    isKept: z.boolean(),
  }),
]);
export type TreeChange = z.infer<typeof treeChangeSchema>;
export type FolderCreated = Extract<TreeChange, { kind: 'created' }>;
export type Moved = Extract<TreeChange, { kind: 'moved' }>;
export type Removed = Extract<TreeChange, { kind: 'removed' }>;

/** The step in progress, and the change as it will be when the step is complete. */
export const treeStepSchema = z.strictObject({
  schemaVersion: z.literal(1),
  direction: z.enum(['do', 'undo', 'redo']),
  change: treeChangeSchema,
  /** Temporary name next to the path, for a file or folder that is being moved in or out. */
  stage: z.string().check(z.regex(/^\.[^/]+$/)),
});
export type TreeStep = z.infer<typeof treeStepSchema>;

const nameSchema = z.string().check(z.regex(/^(?!\.{1,2}$)[^/]+$/));
const entryShape = { segments: z.array(nameSchema), mode: z.int().check(z.minimum(0), z.maximum(0o777)) };

/** Folders precede their contents; the contents of all files are in one file, in this order. */
export const treeSnapshotSchema = z.strictObject({
  schemaVersion: z.literal(1),
  entries: z.array(
    z.discriminatedUnion('kind', [
      z.strictObject({ ...entryShape, kind: z.literal('folder') }),
      z.strictObject({
        ...entryShape,
        kind: z.literal('file'),
        modifiedMs: z.number(),
        bytes: countSchema,
        sha256: sha256Schema,
      }),
      z.strictObject({ ...entryShape, kind: z.literal('link'), target: z.string() }),
    ]),
  ),
});
export type TreeSnapshot = z.infer<typeof treeSnapshotSchema>;
export type SnapshotEntry = TreeSnapshot['entries'][number];
