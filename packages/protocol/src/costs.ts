/** What models cost: tokens and dollars, summed by hour and model. A price that is not known is never counted as 0. Pure. */
import type { RunEvent } from './events.ts';
import { modelNameOf, type RunModel, type Usage } from './model.ts';
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

/** Follows the events of a Work: which model is asked, and what each of its replies cost. */
export function createSpendingFold() {
  let ownModel = '';
  let model = '';
  return {
    /** The model of the current turn. */
    get model(): string {
      return model;
    },
    /** Undefined unless the event reports what a model used. */
    add(event: RunEvent): { readonly model: string; readonly cost: CostSum } | undefined {
      switch (event.type) {
        case 'run.created':
        case 'conversation.created':
        case 'model.changed':
          ownModel = modelNameOf(event.model);
          return undefined;
        case 'turn.started':
          model = event.model ?? ownModel;
          return undefined;
        case 'usage.updated':
          return NO_MODELS.has(model) ? undefined : { model, cost: toCostSum(event.usage) };
        default:
          return undefined;
      }
    },
  };
}

/** Names of what drives a run without a model: their behaviour is ours, or was counted when it was recorded. */
export const NO_MODELS: ReadonlySet<string> = new Set<RunModel['kind']>(['rehearsal', 'replay']);
