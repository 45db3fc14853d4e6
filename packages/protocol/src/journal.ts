/**
 * The journal of a run: changes that tools made in the project, as stored on disk (one record per line) and as shown. Files are
 * named by mount path, contents by their SHA-256; the contents are stored beside the records.
 */
import { countSchema, positiveCountSchema, sha256Schema } from './scalars.ts';
import * as z from './zod.ts';

/** A file or folder of the project: no empty part, no `.`, no `..`. */
const projectPathSchema = z.string().check(z.regex(/^@project(?:\/(?!\.{1,2}(?:\/|$))[^/]+)+$/));

/**
 * A content of a file. `kept` is false if it was too large for the journal. Of a link the content is its target; a folder has
 * none.
 */
const imageSchema = z.strictObject({
  sha256: sha256Schema,
  bytes: countSchema,
  kept: z.boolean(),
  /** Default: a regular file. */
  kind: z.optional(z.enum(['link', 'folder'])),
  /** Permissions, if they are part of the change. */
  mode: z.optional(z.int().check(z.minimum(0), z.maximum(0o777))),
});

const stampShape = { v: z.literal(1), id: positiveCountSchema, at: z.iso.datetime() };

/** Recorded before a file is touched: enough to determine afterwards, from the file alone, whether the step was made. */
const intentShape = {
  ...stampShape,
  path: projectPathSchema,
  /** null if there is no file. */
  before: z.nullable(imageSchema),
  after: z.nullable(imageSchema),
  /** Permissions of the file before the change. */
  mode: z.optional(z.int().check(z.minimum(0), z.maximum(0o777))),
  /** Temporary name next to the file while it is being replaced. */
  tempName: z.string().check(z.regex(/^\.[^/]+$/)),
  /** Folders that are created for the file, innermost first. */
  madeFolders: z.array(projectPathSchema),
};

const changeBegunSchema = z.strictObject({
  ...intentShape,
  type: z.literal('change.begun'),
  callId: z.string(),
  nodeId: z.optional(z.string()),
  /** The call changes several files: all of them or none. */
  isGrouped: z.optional(z.literal(true)),
});

/** One file is moved back over some of its changes (`undo`) or forward again (`redo`); `changes` in their original order. */
const moveBegunSchema = z.strictObject({
  ...intentShape,
  type: z.enum(['undo.begun', 'redo.begun']),
  changes: z.array(z.int()).check(z.minLength(1)),
});

/** The step with this id was made. */
const stepDoneSchema = z.strictObject({
  ...stampShape,
  type: z.literal('step.done'),
  removedFolders: z.array(projectPathSchema),
});

/** The step with this id was not made. */
const stepAbandonedSchema = z.strictObject({ ...stampShape, type: z.literal('step.abandoned') });

export const journalRecordSchema = z.discriminatedUnion('type', [
  changeBegunSchema,
  moveBegunSchema,
  stepDoneSchema,
  stepAbandonedSchema,
]);

export type JournalImage = z.infer<typeof imageSchema>;
export type ChangeBegun = z.infer<typeof changeBegunSchema>;
export type MoveBegun = z.infer<typeof moveBegunSchema>;
export type JournalStep = ChangeBegun | MoveBegun;
export type JournalRecord = z.infer<typeof journalRecordSchema>;

/** A change as shown to people. */
export const journalEntrySchema = z.strictObject({
  changeId: z.int(),
  at: z.iso.datetime(),
  callId: z.string(),
  nodeId: z.optional(z.string()),
  /** Of a change that a called run made: that run; `callId` and `changeId` are its own, `nodeId` is the node that called it. */
  runId: z.optional(z.string()),
  path: z.string(),
  kind: z.enum(['created', 'changed', 'deleted']),
  bytesBefore: z.int(),
  bytesAfter: z.int(),
  /** Absent for a deleted file. */
  sha256After: z.optional(sha256Schema),
  undone: z.boolean(),
  /** Whether the content before the change was stored. */
  undoable: z.boolean(),
});

export type JournalEntry = z.infer<typeof journalEntrySchema>;

/** Which changes to undo or redo: those of one tool call, of one node, or of the whole run. */
export const undoSelectionSchema = z.union([
  /** `runId`: the called run that made the call. */
  z.strictObject({ callId: z.string(), runId: z.optional(z.string()) }),
  z.strictObject({ nodeId: z.string() }),
  z.strictObject({ all: z.literal(true) }),
]);

export type UndoSelection = z.infer<typeof undoSelectionSchema>;

/** Also selects the changes a rewind undoes: one change and all later ones. */
export const changeSelectionSchema = z.union([
  ...undoSelectionSchema.def.options,
  z.strictObject({ fromChange: positiveCountSchema }),
]);

export type ChangeSelection = z.infer<typeof changeSelectionSchema>;

/** The outcome for one file. `conflict`, `not-recorded` and `failed` leave the file unchanged. */
export const undoneFileSchema = z.strictObject({
  path: z.string(),
  outcome: z.enum(['restored', 'deleted', 'recreated', 'unchanged', 'conflict', 'not-recorded', 'failed']),
  /** A sentence for people. */
  reason: z.optional(z.string()),
  /** Of a conflict. Logs of earlier versions have none. */
  cause: z.optional(z.enum(['later-change', 'edited', 'read-only', 'folder', 'blocked'])),
});
export type UndoConflict = NonNullable<z.infer<typeof undoneFileSchema>['cause']>;

export type UndoneFile = z.infer<typeof undoneFileSchema>;
