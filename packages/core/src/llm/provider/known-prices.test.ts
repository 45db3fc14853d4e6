import { pricesSchema } from '@crewagent/protocol/model';
import { describe, expect, it } from 'vitest';
import { findKnownPrices } from './known-prices.ts';
import table from './model-prices.json' with { type: 'json' };

describe('list prices', () => {
  it('are complete, dated, and have a source of their provider', () => {
    expect(table.asOf).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    for (const { source, models } of Object.values(table.providers)) {
      expect(source).toMatch(/^https:\/\//);
      for (const [name, prices] of Object.entries(models)) {
        expect(pricesSchema.safeParse(prices).success, name).toBe(true);
        expect(prices.cachedInput, name).toBeLessThanOrEqual(prices.input);
        expect(prices.input, name).toBeLessThan(prices.output);
      }
    }
  });

  it.each([
    ['openai', 'gpt-4.1-mini', 0.4],
    ['openai', 'gpt-4.1-mini-2025-04-14', 0.4],
    ['anthropic', 'claude-sonnet-4-5-20250929', 3],
    ['anthropic', 'claude-opus-4-5', 5],
    ['openai', 'gpt-4.1-mini-audio', undefined],
    ['openai', 'claude-opus-4-5', undefined],
    ['deepseek', 'deepseek-chat', undefined],
    ['openai', 'constructor', undefined],
  ] as const)('of %s: %s is %s', (provider, model, input) => {
    expect(findKnownPrices(provider, model)?.prices.input).toBe(input);
  });
});
