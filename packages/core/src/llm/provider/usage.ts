/**
 * What a reply cost: the provider's count of tokens, and money where a price is known. Pure.
 */
import type { Prices, Usage } from '@crewagent/protocol/model';
import { countIn, isRecord } from '../foreign-json.ts';

/** Undefined for what is no count. OpenAI, DeepSeek and Kimi each say differently what came from their cache. */
export function toUsage(value: unknown): Usage | undefined {
  if (!isRecord(value)) return undefined;
  const promptTokens = countIn(value.prompt_tokens);
  const completionTokens = countIn(value.completion_tokens);
  // No request has no tokens: who says so did not count.
  if (!promptTokens) return undefined;
  const details = isRecord(value.prompt_tokens_details) ? value.prompt_tokens_details : {};
  const cached =
    countIn(details.cached_tokens) ??
    countIn(value.prompt_cache_hit_tokens) ??
    countIn(value.cached_tokens) ??
    0;
  return {
    promptTokens,
    completionTokens: completionTokens ?? 0,
    cachedTokens: Math.min(cached, promptTokens),
  };
}

export function withCost(usage: Usage, prices: Prices | undefined): Usage {
  if (prices === undefined) return usage;
  const fresh = (usage.promptTokens - usage.cachedTokens) * prices.input;
  const cached = usage.cachedTokens * (prices.cachedInput ?? prices.input);
  return { ...usage, costUsd: (fresh + cached + usage.completionTokens * prices.output) / 1_000_000 };
}
