/**
 * The journal of a run: what tools changed in the project, as it is kept on disk (one record a line) and as it is shown.
 * Files are named by mount path, contents by their SHA-256; the contents themselves lie beside the records.
 */
import * as z from './zod.ts';

/** A file or folder of the project: no empty part, no `.`, no `..`. */
const projectPathSchema = z.string().regex(/^@project(?:\/(?!\.{1,2}(?:\/|$))[^/]+)+$/);

/** A content a file had. `kept` is false for one that was too large for the journal. */
const imageSchema = z.strictObject({
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().min(0),
  kept: z.boolean(),
});

const stampShape = { v: z.literal(1), id: z.int().min(1), at: z.iso.datetime() };

/** What is written down before a file is touched: enough to tell afterwards, from the file alone, what became of it. */
const intentShape = {
  ...stampShape,
  path: projectPathSchema,
  /** null where there is no file. */
  before: imageSchema.nullable(),
  after: imageSchema.nullable(),
  /** Permissions of the file as it is before. */
  mode: z.int().min(0).max(0o777).optional(),
  /** Beside the file while it is being replaced. */
  tempName: z.string().regex(/^\.[^/]+$/),
  /** Folders that are made for the file, the innermost first. */
  madeFolders: z.array(projectPathSchema),
};

const changeBegunSchema = z.strictObject({
  ...intentShape,
  type: z.literal('change.begun'),
  callId: z.string(),
  nodeId: z.string().optional(),
});

/** One file goes back over some of its changes (`undo`) or forward again (`redo`); `changes` in the order they were made. */
const moveBegunSchema = z.strictObject({
  ...intentShape,
  type: z.enum(['undo.begun', 'redo.begun']),
  changes: z.array(z.int()).min(1),
});

/** The step of this id was made. */
const stepDoneSchema = z.strictObject({
  ...stampShape,
  type: z.literal('step.done'),
  removedFolders: z.array(projectPathSchema),
});

/** The step of this id was not made. */
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

/** A change as people see it. */
export const journalEntrySchema = z.strictObject({
  changeId: z.int(),
  at: z.iso.datetime(),
  callId: z.string(),
  nodeId: z.string().optional(),
  path: z.string(),
  kind: z.enum(['created', 'changed', 'deleted']),
  bytesBefore: z.int(),
  bytesAfter: z.int(),
  undone: z.boolean(),
  /** Whether the content before it was kept. */
  undoable: z.boolean(),
});

export type JournalEntry = z.infer<typeof journalEntrySchema>;

/** Which changes to undo or redo: those of one tool call, of one node, or of the whole run. */
export const undoSelectionSchema = z.union([
  z.strictObject({ callId: z.string() }),
  z.strictObject({ nodeId: z.string() }),
  z.strictObject({ all: z.literal(true) }),
]);

export type UndoSelection = z.infer<typeof undoSelectionSchema>;

/** The same, and what goes with a run that is taken back: one change and all after it. */
export const changeSelectionSchema = z.union([
  ...undoSelectionSchema.options,
  z.strictObject({ fromChange: z.int().min(1) }),
]);

export type ChangeSelection = z.infer<typeof changeSelectionSchema>;

/** What became of one file. After `conflict`, `not-recorded` and `failed` it is as it was. */
export const undoneFileSchema = z.strictObject({
  path: z.string(),
  outcome: z.enum(['restored', 'deleted', 'recreated', 'unchanged', 'conflict', 'not-recorded', 'failed']),
  /** A sentence to show. */
  reason: z.string().optional(),
});

export type UndoneFile = z.infer<typeof undoneFileSchema>;
