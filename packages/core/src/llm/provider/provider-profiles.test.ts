import { describe, expect, it } from 'vitest';
import { resolveRequestRules, resolveTraits } from './provider-profiles.ts';
import { withCost } from './usage.ts';

const at = (baseUrl: string, model = 'm') => resolveTraits({ provider: 'generic', baseUrl, model });

describe('provider profiles', () => {
  it.each([
    ['https://api.openai.com/v1', 'openai'],
    ['https://api.deepseek.com', 'deepseek'],
    ['https://openrouter.ai/api/v1', 'openrouter'],
    ['http://localhost:11434/v1', 'ollama'],
    ['http://[::1]:1234/v1', 'lmstudio'],
    ['https://api.openai.com.evil.test/v1', 'generic'],
    ['https://mine.openai.azure.com/openai/v1', 'azure'],
    ['https://api.anthropic.com/v1', 'anthropic'],
    ['https://generativelanguage.googleapis.com/v1beta/openai', 'gemini'],
    ['https://api.mistral.ai/v1', 'mistral'],
    ['https://api.groq.com/openai/v1', 'groq'],
    ['https://api.x.ai/v1', 'xai'],
    ['https://dashscope-intl.aliyuncs.com/compatible-mode/v1', 'qwen'],
    ['https://api.moonshot.cn/v1', 'moonshot'],
    ['https://open.bigmodel.cn/api/paas/v4', 'zhipu'],
    ['https://api.siliconflow.cn/v1', 'siliconflow'],
  ] as const)('[N125] recognise %s as %s', (baseUrl, provider) => {
    expect(at(baseUrl).provider).toBe(provider);
  });

  it.each([
    ['gpt-5-mini', true],
    ['openai/gpt-4o', true],
    ['o3', true],
    ['anthropic/claude-sonnet-4-5', true],
    ['gemini-2.5-pro', true],
    ['qwen2.5-vl-7b-instruct', true],
    ['llama3.2-vision:11b', true],
    ['gemma3:12b', true],
    ['gpt-3.5-turbo', false],
    ['o3-mini', false],
    ['deepseek-chat', false],
    ['qwen3-32b', false],
    ['mistral-large', false],
  ])('[N125] know whether a model takes pictures, unless the settings say it: %s', (model, pictures) => {
    const base = { provider: 'generic', baseUrl: 'https://h/v1', model } as const;
    expect(resolveTraits(base).rules.pictures).toBe(pictures);
    expect(resolveTraits({ ...base, pictures: 'send' }).rules.pictures).toBe(true);
    expect(resolveTraits({ ...base, pictures: 'omit' }).rules.pictures).toBe(false);
  });

  it('[N125] provide defaults for the settings', () => {
    expect(resolveTraits({ provider: 'openai', model: 'gpt-4.1-mini-2025-04-14' })).toEqual({
      name: 'gpt-4.1-mini-2025-04-14',
      provider: 'openai',
      endpoint: new URL('https://api.openai.com/v1/chat/completions'),
      contextTokens: 1_047_576,
      takesSeveralSystemMessages: true,
      wantsReasoningBack: false,
      rules: {
        origin: 'api.openai.com/gpt-4.1-mini-2025-04-14',
        returnedFields: [],
        reasoning: 'never',
        callIds: 'any',
        needsReplyAfterTools: false,
        needsSignatures: false,
        emptyContent: 'null',
        toolSchemas: 'full',
        pictures: true,
      },
      firstByteMs: 300_000,
      prices: { input: 0.4, cachedInput: 0.1, output: 1.6 },
      needsKey: true,
    });
    expect(resolveRequestRules({ provider: 'openai' })).toMatchObject({
      keyHeader: 'authorization',
      maxTokensField: 'max_completion_tokens',
    });
    expect(resolveRequestRules({ provider: 'ollama' })).toMatchObject({ maxTokensField: 'max_tokens' });
    expect(resolveTraits({ provider: 'ollama', model: 'qwen3' })).toMatchObject({
      contextTokens: 8_192,
      needsKey: false,
      takesSeveralSystemMessages: false,
      prices: undefined,
    });
    expect(at('https://models.test/v1')).toMatchObject({ contextTokens: 128_000, needsKey: false });
    expect(at('https://openrouter.ai/api/v1', 'anthropic/claude-x:free')).toMatchObject({
      contextTokens: 200_000,
    });
  });

  it('[N125] are overridden by the settings', () => {
    const prices = { input: 1, output: 2 };
    const settings = { provider: 'openai', model: 'gpt-4o', baseUrl: 'http://127.0.0.1:9/v1' } as const;
    expect(resolveTraits(settings)).toMatchObject({ needsKey: false, prices: undefined });
    expect(resolveTraits({ ...settings, contextTokens: 5_000, prices })).toMatchObject({
      contextTokens: 5_000,
      prices,
    });
  });

  it('[N12] give a local server half an hour for its first data, unless the settings say otherwise', () => {
    const timeoutsOf = (provider: 'ollama' | 'openai', timeouts = {}) =>
      resolveRequestRules({ provider, timeouts }).timeouts;
    expect(timeoutsOf('ollama').firstByteMs).toBe(1_800_000);
    expect(timeoutsOf('openai').firstByteMs).toBe(300_000);
    expect(
      timeoutsOf('ollama', { connectSeconds: 1, firstByteSeconds: 2, idleSeconds: 3, replySeconds: 4 }),
    ).toEqual({
      connectMs: 1_000,
      firstByteMs: 2_000,
      idleMs: 3_000,
      replyMs: 4_000,
    });
  });

  it('[N125] send reasoning back to models that require it', () => {
    expect(at('https://api.deepseek.com/v1', 'deepseek-chat').wantsReasoningBack).toBe(true);
    expect(at('https://models.test/v1', 'moonshot/kimi-k2').wantsReasoningBack).toBe(true);
    expect(at('https://models.test/v1', 'gpt-4o').wantsReasoningBack).toBe(false);
  });

  it.each([
    ['http://127.0.0.1:1234/v1', 'http://127.0.0.1:1234/v1/chat/completions'],
    ['http://127.0.0.1:1234/v1/', 'http://127.0.0.1:1234/v1/chat/completions'],
    ['https://models.test', 'https://models.test/chat/completions'],
    ['https://models.test/a/b//', 'https://models.test/a/b/chat/completions'],
    ['https://models.test/v1/chat/completions', 'https://models.test/v1/chat/completions'],
    ['https://models.test/v1?api-version=2', 'https://models.test/v1/chat/completions?api-version=2'],
  ])('[N5] convert %s to the endpoint %s', (baseUrl, endpoint) => {
    expect(at(baseUrl).endpoint.href).toBe(endpoint);
  });

  it.each([
    'https://name:word@models.test/v1',
    'https://name@models.test/v1',
    'ftp://models.test/v1',
    'models',
  ])('[N5] reject the address %s without repeating it', (baseUrl) => {
    expect(() => at(baseUrl)).toThrow(expect.objectContaining({ code: 'SETTINGS_INVALID' }));
    expect(() => at(baseUrl)).not.toThrow(/models/);
  });

  it('[N125] require an address if the provider has none', () => {
    expect(() => resolveTraits({ provider: 'generic', model: 'm' })).toThrow(/base URL/);
  });

  it('[N1] calculate the cost of a reply if the price is known', () => {
    const usage = { promptTokens: 1_000_000, completionTokens: 100_000, cachedTokens: 400_000 };
    expect(withCost(usage, { input: 2, cachedInput: 0.5, output: 10 }).costUsd).toBeCloseTo(1.2 + 0.2 + 1);
    expect(withCost(usage, { input: 2, output: 10 }).costUsd).toBeCloseTo(3);
    expect(withCost(usage, undefined)).toEqual(usage);
  });
});
