/** What models cost: tokens and dollars, summed by hour and model. A price that is not known is never counted as 0. Pure. */
import type { Usage } from './model.ts';
import { countSchema } from './scalars.ts';
import * as z from './zod.ts';

export const costSumSchema = z.strictObject({
  requests: countSchema,
  promptTokens: countSchema,
  completionTokens: countSchema,
  /** Of the requests whose price is known. */
  costUsd: z.number().check(z.minimum(0)),
  /** Tokens of the requests whose price is not known. */
  unpricedTokens: countSchema,
});
export type CostSum = z.infer<typeof costSumSchema>;

/** By hour in UTC (`2026-01-31T09`), then by model. A page in any time zone makes days of hours. */
export const spentSchema = z.record(z.string(), z.record(z.string(), costSumSchema));
export type Spent = z.infer<typeof spentSchema>;

export const NO_COST: CostSum = {
  requests: 0,
  promptTokens: 0,
  completionTokens: 0,
  costUsd: 0,
  unpricedTokens: 0,
};

export function toCostSum({ promptTokens, completionTokens, costUsd }: Usage): CostSum {
  const unpricedTokens = costUsd === undefined ? promptTokens + completionTokens : 0;
  return { requests: 1, promptTokens, completionTokens, costUsd: costUsd ?? 0, unpricedTokens };
}

export function addCostSums(a: CostSum, b: CostSum): CostSum {
  return {
    requests: a.requests + b.requests,
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    costUsd: a.costUsd + b.costUsd,
    unpricedTokens: a.unpricedTokens + b.unpricedTokens,
  };
}
