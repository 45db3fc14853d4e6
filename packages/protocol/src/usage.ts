/**
 * Adding up what models used. Pure.
 */
import type { Usage } from './model.ts';

export const NO_USAGE: Usage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0 };

export function addUsage(total: Usage, usage: Usage): Usage {
  const isPriced = usage.costUsd !== undefined || total.costUsd !== undefined;
  return {
    promptTokens: total.promptTokens + usage.promptTokens,
    completionTokens: total.completionTokens + usage.completionTokens,
    cachedTokens: total.cachedTokens + usage.cachedTokens,
    ...(usage.isEstimated || total.isEstimated ? { isEstimated: true } : {}),
    ...(isPriced ? { costUsd: (total.costUsd ?? 0) + (usage.costUsd ?? 0) } : {}),
  };
}
