/**
 * Tests of a package: files in its folder `tests` that say how a run starts, who plays the model, what the person says, and what must be
 * true afterwards.
 */
import { READER_KINDS, readerKindSchema } from './reader-trials.ts';
import { nonEmptySchema } from './scalars.ts';
import * as z from './zod.ts';

const wordsSchema = z.array(nonEmptySchema);
const variablesSchema = z.record(z.string(), z.unknown());

/** Who plays the model; `rehearsal` does what every step asks for. */
export const testModelSchema = z.union(
  [
    readerKindSchema,
    z.literal('rehearsal'),
    /** A recording beside the test. */
    z.strictObject({ recording: nonEmptySchema }),
  ],
  { error: `must be ${READER_KINDS.join(', ')}, rehearsal or { recording: FILE }` },
);
export type TestModel = z.infer<typeof testModelSchema>;

/** What the person does once, when the run waits for them: at a node if one is given, for a question with these words if some are given. */
export const testAnswerSchema = z
  .strictObject({
    node: z.optional(nonEmptySchema),
    /** Words of the question, of its id, or of the action that needs an approval. */
    asked: z.optional(nonEmptySchema),
    /** A message, or the choice from a menu. */
    say: z.optional(nonEmptySchema),
    /** The value for a single question, or the values by id. */
    answer: z.optional(z.unknown()),
    approve: z.optional(z.boolean()),
  })
  .check(
    z.refine(({ say, answer, approve }) => [say, answer, approve].filter(isGiven).length === 1, {
      error: 'needs exactly one of say, answer and approve',
    }),
  );
export type TestAnswer = z.infer<typeof testAnswerSchema>;

function isGiven(value: unknown): boolean {
  return value !== undefined;
}

const fileExpectationSchema = z.union(
  [
    /** Whether it exists. */
    z.boolean(),
    z.strictObject({
      contains: z.optional(z.union([nonEmptySchema, wordsSchema])),
      /** A regular expression; `m` and `u` are set. */
      matches: z.optional(nonEmptySchema),
      /** A file beside the test with the same content; `--update` writes it. */
      equals: z.optional(nonEmptySchema),
    }),
  ],
  { error: 'must be true, false or { contains, matches, equals } with texts' },
);
export type FileExpectation = z.infer<typeof fileExpectationSchema>;

export const TEST_ENDS = ['completed', 'waiting', 'failed'] as const;

export const expectationsSchema = z.strictObject({
  /** Where the run stands when nobody has more to say. */
  ends: z._default(z.enum(TEST_ENDS), 'completed'),
  /** The nodes in the order of the visits, all of them. */
  path: z.optional(wordsSchema),
  /** Nodes that were left, in any order. */
  visits: z.optional(wordsSchema),
  neverVisits: z.optional(wordsSchema),
  /** Edges that were followed: `from -> to`, or `from -> to: label`. */
  edges: z.optional(wordsSchema),
  /** Nodes that were left after the person was heard. */
  heard: z.optional(wordsSchema),
  /** `true`: the run is complete, and each check of each visited node was met. A list: nodes whose checks were met. */
  proved: z.optional(z.union([z.boolean(), wordsSchema])),
  variables: z.optional(variablesSchema),
  /** By path in the project. */
  files: z.optional(z.record(z.string(), fileExpectationSchema)),
  /** Codes of refused attempts to leave a node; each must have occurred. */
  refusals: z.optional(wordsSchema),
  /** Tools that must not be called. */
  neverCalls: z.optional(wordsSchema),
  maxTurns: z.optional(z.int().check(z.positive())),
  maxTokens: z.optional(z.int().check(z.positive())),
});
export type Expectations = z.infer<typeof expectationsSchema>;

export const packageTestSchema = z.strictObject({
  /** Default: the name of the file. */
  name: z.optional(nonEmptySchema),
  workflow: z.optional(nonEmptySchema),
  /** A folder beside the test that becomes the project; default: an empty project. */
  project: z.optional(nonEmptySchema),
  /** Node at which the run starts; default: the entry. */
  start: z.optional(nonEmptySchema),
  variables: z.optional(variablesSchema),
  model: z._default(testModelSchema, 'literal'),
  /** The edge that a rehearsal follows from a node: its label or its target. */
  choose: z._default(z.record(z.string(), nonEmptySchema), {}),
  /** Whether changes need an approval; default: only if an answer approves or denies something. */
  asks: z.optional(z.boolean()),
  answers: z._default(z.array(testAnswerSchema), []),
  /** Whether a question without an answer gets a placeholder, as in a rehearsal. */
  placeholders: z._default(z.boolean(), true),
  expect: z.prefault(expectationsSchema, {}),
});
export type PackageTest = z.infer<typeof packageTestSchema>;

const countSchema = z.strictObject({ covered: z.int(), total: z.int() });

/** What was expected and did not happen. */
export const testFailureSchema = z.strictObject({
  /** Field of the expectations, or `file` for a test that could not be read or started. */
  expected: z.string(),
  message: z.string(),
  /** Unified diff. */
  diff: z.optional(z.string()),
});
export type TestFailure = z.infer<typeof testFailureSchema>;

export const packageTestResultSchema = z.strictObject({
  /** Path in the package. */
  file: z.string(),
  name: z.string(),
  workflow: z.string(),
  model: z.string(),
  ok: z.boolean(),
  failures: z.array(testFailureSchema),
  path: z.array(z.string()),
  turns: z.int(),
  tokens: z.int(),
  durationMs: z.int(),
  /** Requests whose texts are other ones than in the recording, and the first difference of each. */
  drifts: z.array(z.strictObject({ message: z.string(), diff: z.string() })),
  /** Files that `--update` has written. */
  updated: z.array(z.string()),
});
export type PackageTestResult = z.infer<typeof packageTestResultSchema>;

export const packageTestReportSchema = z.strictObject({
  ok: z.boolean(),
  isStopped: z.boolean(),
  package: z.strictObject({ name: z.string(), version: z.string(), hash: z.string() }),
  tests: z.array(packageTestResultSchema),
  /** Of all tests together, by workflow. */
  coverage: z.array(
    z.strictObject({
      workflow: z.string(),
      nodes: countSchema,
      edges: countSchema,
      halts: countSchema,
      checks: countSchema,
      /** What no test has covered. */
      missed: z.array(z.string()),
    }),
  ),
  /** Covered share of nodes, edges, halts and checks, in percent. */
  percent: z.number(),
});
export type PackageTestReport = z.infer<typeof packageTestReportSchema>;
