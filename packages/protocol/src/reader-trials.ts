/**
 * Trials of a workflow by scripted readers: models of three kinds that see only what a model sees. A lazy one must not complete a
 * workflow, a literal and an asking one must.
 */
import { checkKindSchema } from './proof.ts';
import * as z from './zod.ts';

export const READER_KINDS = ['lazy', 'literal', 'asking'] as const;
export const readerKindSchema = z.enum(READER_KINDS);
export type ReaderKind = z.infer<typeof readerKindSchema>;

const countSchema = z.strictObject({ covered: z.int(), total: z.int() });

const stepShape = {
  workflow: z.string(),
  nodeId: z.string(),
  /** Path of the step in the package. */
  file: z.string(),
};
export type StepRef = z.infer<z.ZodMiniObject<typeof stepShape>>;

const escapeSchema = z.strictObject({
  ...stepShape,
  /**
   * `nothing-to-prove`: the node was left, and its step declares no checks. `menu-not-shown`, `wait-skipped`: the text has a menu
   * or says to wait, and nobody was heard. `one-byte-file`, `output-missing`: `path` has one byte or was not written.
   */
  kind: z.enum(['nothing-to-prove', 'menu-not-shown', 'wait-skipped', 'one-byte-file', 'output-missing']),
  path: z.optional(z.string()),
});
export type Escape = z.infer<typeof escapeSchema>;

const stopSchema = z.strictObject({
  ...stepShape,
  code: z.string(),
  message: z.string(),
  /** What was not met. */
  checks: z.array(z.strictObject({ id: z.string(), kind: checkKindSchema, message: z.string() })),
});
export type TrialStop = z.infer<typeof stopSchema>;

const circleSchema = z.strictObject({
  ...stepShape,
  turns: z.int(),
  refusals: z.array(z.strictObject({ code: z.string(), message: z.string(), count: z.int() })),
});
export type Circle = z.infer<typeof circleSchema>;

export const readerTrialSchema = z.strictObject({
  as: readerKindSchema,
  workflow: z.string(),
  title: z.string(),
  ok: z.boolean(),
  isCompleted: z.boolean(),
  turns: z.int(),
  /** Nodes that were left, of all nodes of the workflow. */
  nodes: countSchema,
  /** What a lazy reader got away with. */
  escapes: z.array(escapeSchema),
  /** Where and why the run ended before its end. */
  stop: z.optional(stopSchema),
  /** Steps that a diligent reader tried to leave several times. */
  circles: z.array(circleSchema),
  /** Checks that the person waived, because a rehearsal cannot prove them. */
  waived: z.array(z.string()),
});
export type ReaderTrial = z.infer<typeof readerTrialSchema>;
