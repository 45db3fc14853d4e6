/**
 * Token usage of a reply, and its cost if the price is known. Pure.
 */
import { isObject } from '@crewagent/protocol/json-object';
import type { Prices, Usage } from '@crewagent/protocol/model';
import { countIn } from '../untrusted-json.ts';

/**
 * Undefined for anything that is not a token count. OpenAI, DeepSeek and Kimi report cached tokens in different
 * fields.
 */
export function toUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const promptTokens = countIn(value.prompt_tokens);
  const completionTokens = countIn(value.completion_tokens);
  // A count of zero means that the provider did not count.
  if (!promptTokens) return undefined;
  const details = isObject(value.prompt_tokens_details) ? value.prompt_tokens_details : {};
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
