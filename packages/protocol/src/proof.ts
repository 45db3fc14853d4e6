/**
 * What a step must prove before a run may leave its node: the keys an author writes in the frontmatter (`waits`, `produces`,
 * `consumes`, `verify`), the form in which a loaded package has them, and the result of a check.
 */
import type { freeObjectSchema } from './format.ts';
import { nonEmptySchema, positiveCountSchema } from './scalars.ts';
import * as z from './zod.ts';

const waitKindSchema = z.enum(['message', 'choice', 'approval']);

const waitsSchema = z.union([
  z.boolean(),
  z.strictObject({
    for: z._default(waitKindSchema, 'message'),
    options: z.optional(z.array(nonEmptySchema)),
  }),
]);

const headingsSchema = z.union([
  z.array(nonEmptySchema).check(z.minLength(1)),
  z.strictObject({ from: nonEmptySchema, only: z.optional(z.array(nonEmptySchema).check(z.minLength(1))) }),
]);

const textsSchema = z.array(nonEmptySchema).check(z.minLength(1));

export const COUNT_RANGE = /^(\d{1,6})\.\.(\d{1,6})$/;

const producedSchema = z.strictObject({
  path: nonEmptySchema.check(
    z.meta({ description: 'A file of the project; {variables} and globs are allowed.' }),
  ),
  count: z
    .optional(z.union([positiveCountSchema, z.string().check(z.regex(COUNT_RANGE))]))
    .check(z.meta({ description: 'How many files the glob must match: a number, or a range such as 1..5.' })),
  change: z
    .optional(z.enum(['required', 'exists']))
    .check(z.meta({ description: 'required (default): written since this visit of the node began.' })),
  headings: z
    .optional(headingsSchema)
    .check(
      z.meta({ description: 'Headings the Markdown file must have, or the template to take them from.' }),
    ),
  minWords: z.optional(positiveCountSchema),
  schema: z
    .optional(nonEmptySchema)
    .check(
      z.meta({ description: 'JSON Schema in the package, for JSON, YAML and the frontmatter of Markdown.' }),
    ),
  columns: z.optional(textsSchema).check(z.meta({ description: 'Columns a CSV file must have.' })),
  contains: z.optional(textsSchema),
  notContains: z.optional(textsSchema),
});

const consumedSchema = z.union([
  nonEmptySchema,
  z.strictObject({
    path: nonEmptySchema,
    optional: z.optional(z.boolean()),
    read: z.optional(z.literal('required')),
    ask: z.optional(nonEmptySchema),
  }),
]);

const verifySchema = z.strictObject({
  run: nonEmptySchema,
  expect: z.optional(z.int()),
  timeout: z.optional(positiveCountSchema).check(z.meta({ description: 'In seconds; default 120.' })),
});

const rightsSchema = z.literal('declared');

/** Keys of a step's frontmatter. */
export const proofShape = {
  waits: z
    .optional(waitsSchema)
    .check(z.meta({ description: 'The node is left only after a person has spoken in it.' })),
  produces: z.optional(z.array(producedSchema)),
  consumes: z.optional(z.array(consumedSchema)),
  verify: z.optional(z.array(verifySchema)),
  rights: z.optional(rightsSchema),
};

/** Keys of the frontmatter of workflow.md. */
export const workflowProofShape = {
  writes: z.optional(textsSchema).check(
    z.meta({
      description: 'Globs of the project files that a run of this workflow writes.',
    }),
  ),
  rights: z.optional(rightsSchema),
};

export const writtenProofSchema = z.object(proofShape);
export type WrittenProof = z.infer<typeof writtenProofSchema>;
export type WrittenProduced = z.infer<typeof producedSchema>;

/** The keys of one node in a loaded package: templates and schemas are read, defaults filled in. */
export interface NodeProof {
  readonly waits?: { readonly for: z.infer<typeof waitKindSchema>; readonly options: readonly string[] };
  readonly produces: readonly ProducedFile[];
  readonly consumes: readonly ConsumedFile[];
  readonly verify: readonly VerifyCommand[];
}

export interface ProducedFile {
  /** As written, with variables. */
  readonly path: string;
  readonly count: { readonly min: number; readonly max: number };
  /** Whether the file must have been written since the visit began; otherwise it must exist. */
  readonly mustChange: boolean;
  readonly headings?: readonly string[];
  readonly minWords?: number;
  readonly schema?: { readonly path: string; readonly value: z.infer<typeof freeObjectSchema> };
  readonly columns?: readonly string[];
  readonly contains?: readonly string[];
  readonly notContains?: readonly string[];
}

export interface ConsumedFile {
  readonly path: string;
  readonly isOptional: boolean;
  readonly mustRead: boolean;
  /** The author's question to the person if the file is missing. */
  readonly ask?: string;
}

export interface VerifyCommand {
  readonly run: string;
  readonly expect: number;
  readonly timeoutSeconds: number;
}

export const checkKindSchema = z.enum([
  'wait',
  'exists',
  'change',
  'headings',
  'minWords',
  'schema',
  'columns',
  'contains',
  'notContains',
  'read',
  'consumed',
  'verify',
]);
export type CheckKind = z.infer<typeof checkKindSchema>;

export const checkResultSchema = z.strictObject({
  /** What a person waives: `wait`, the path as the author wrote it, or `verify: COMMAND`. */
  id: z.string(),
  kind: checkKindSchema,
  /** Mount path of the file that was judged. */
  path: z.optional(z.string()),
  ok: z.boolean(),
  /** What is missing, in words that a model can act on; empty if nothing is. */
  message: z.string(),
  /** A person waived it in this visit. */
  isWaived: z.optional(z.literal(true)),
});
export type CheckResult = z.infer<typeof checkResultSchema>;

/** Id of the check that a person was heard. */
export const WAIT_CHECK = 'wait';

export function isUnmet({ ok, isWaived }: CheckResult): boolean {
  return !ok && isWaived !== true;
}

/** A person's decision that the run may leave its node although something is missing. */
export interface WaiveRequest {
  /** Id of a check, or the path or the name of its file; without it, everything that is missing. */
  readonly check?: string | undefined;
  readonly reason: string;
}

/**
 * Who spoke for the person: a text of `--input`, written before the question was known, the fixed words of an unattended run, or
 * `claimed`: another agent says that the person said it to it.
 */
export const speakerSchema = z.enum(['flag', 'unattended', 'claimed']);
export type Speaker = z.infer<typeof speakerSchema>;

/** Who decided that a visit which waits may end: of these checks and of who spoke in it. Undefined if it does not wait. */
export function deciderOf(
  checks: readonly Pick<CheckResult, 'id' | 'isWaived'>[],
  spoken: readonly { readonly by?: Speaker | undefined }[],
): 'person' | 'waiver' | Speaker | undefined {
  const wait = checks.find(({ id }) => id === WAIT_CHECK);
  if (wait?.isWaived) return 'waiver';
  const last = wait && spoken.at(-1);
  return last && (last.by ?? 'person');
}

/** State of the files that a node produces when its visit began. */
export const baselineShape = {
  /** Globs of full mount paths whose matches are listed. */
  patterns: z.array(z.string()),
  files: z.array(z.strictObject({ path: z.string(), sha256: z.string() })),
  /** More files matched than are listed. */
  isPartial: z.optional(z.literal(true)),
  /** In a rerun, a file counts as changed if it was written again with the same content. */
  isRerun: z.optional(z.literal(true)),
};

/** A file that a visit of another run read or wrote, with the hash that it had then. */
export const carriedFileSchema = z.strictObject({
  kind: z.enum(['read', 'write']),
  path: z.string(),
  sha256: z.optional(z.string()),
});
export type CarriedFile = z.infer<typeof carriedFileSchema>;
