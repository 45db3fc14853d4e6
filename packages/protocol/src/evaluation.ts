/** Evaluation of a package: its tests with several models and several times, compared. */
import { testFailureSchema } from './package-tests.ts';
import { countSchema } from './scalars.ts';
import * as z from './zod.ts';

/** What a model thinks of the files of a run: an opinion, and no proof. */
export const opinionSchema = z.strictObject({
  /** From 1 to 5; missing if the judge gave none. */
  score: z.optional(z.int().check(z.minimum(1), z.maximum(5))),
  why: z.string(),
});
export type Opinion = z.infer<typeof opinionSchema>;

const measuredShape = {
  /** Nodes that were left with all checks met, and nodes with checks that were left. */
  nodesProved: countSchema,
  nodesChecked: countSchema,
  /** Attempts to leave a node that were refused. */
  refusals: countSchema,
  turns: countSchema,
  tokens: countSchema,
  /** Missing if the price is unknown. */
  costUsd: z.optional(z.number()),
};

const evaluatedRunSchema = z.strictObject({
  model: z.string(),
  /** Path of the test in the package. */
  test: z.string(),
  name: z.string(),
  /** From 1. */
  repeat: z.int(),
  ok: z.boolean(),
  failures: z.array(testFailureSchema),
  ...measuredShape,
  durationMs: countSchema,
  /** Hashes of the files that the run wrote, by path. */
  files: z.record(z.string(), z.string()),
  opinion: z.optional(opinionSchema),
});
export type EvaluatedRun = z.infer<typeof evaluatedRunSchema>;

const evaluatedModelSchema = z.strictObject({
  model: z.string(),
  runs: countSchema,
  passed: countSchema,
  ...measuredShape,
  /** Median of its runs. */
  durationMs: countSchema,
  /** Files that its runs wrote, and those that were not the same in all repeats of a test. */
  files: countSchema,
  differing: z.array(z.strictObject({ test: z.string(), path: z.string() })),
  /** Mean of the opinions. */
  score: z.optional(z.number()),
});
export type EvaluatedModel = z.infer<typeof evaluatedModelSchema>;

export const evaluationSchema = z.strictObject({
  /** All runs of all models passed. */
  ok: z.boolean(),
  /** Not all runs were made: the person stopped it, or the budget was spent. */
  isStopped: z.boolean(),
  isOverBudget: z.boolean(),
  package: z.strictObject({ name: z.string(), version: z.string(), hash: z.string() }),
  /** The model whose opinions these are. */
  judge: z.optional(z.string()),
  models: z.array(evaluatedModelSchema),
  runs: z.array(evaluatedRunSchema),
});
export type Evaluation = z.infer<typeof evaluationSchema>;
