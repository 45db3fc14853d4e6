import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelError } from '../llm-adapter.ts';
import { type Peer, toHttpError, toNetworkError } from './http-errors.ts';

const KEY = 'sk-proj-abcdefghijklmnop';
const PEER: Peer = { host: 'provider.test', model: 'gpt-9', apiKey: KEY };

function refused(
  status: number,
  body: unknown = '',
  headers: Record<string, string> = {},
  peer = PEER,
): ModelError {
  return toHttpError({ status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) }, peer);
}

const STATUSES: [string, number, string, boolean][] = [
  ['N40', 400, 'LLM_HTTP_ERROR', false],
  ['N40', 401, 'LLM_AUTH_FAILED', false],
  ['N40', 402, 'LLM_OUT_OF_CREDIT', false],
  ['N40', 403, 'LLM_AUTH_FAILED', false],
  ['N40', 404, 'LLM_HTTP_ERROR', false],
  ['N40', 408, 'LLM_HTTP_ERROR', true],
  ['N40', 409, 'LLM_HTTP_ERROR', true],
  ['N40', 413, 'LLM_CONTEXT_EXCEEDED', false],
  ['N40', 422, 'LLM_HTTP_ERROR', false],
  ['N40', 425, 'LLM_HTTP_ERROR', true],
  ['N40', 429, 'LLM_RATE_LIMITED', true],
  ['N40', 500, 'LLM_HTTP_ERROR', true],
  ['N40', 501, 'LLM_HTTP_ERROR', false],
  ['N40', 503, 'LLM_HTTP_ERROR', true],
  ['N40', 529, 'LLM_HTTP_ERROR', true],
  ['N5', 301, 'LLM_HTTP_ERROR', false],
  ['N5', 307, 'LLM_HTTP_ERROR', false],
];

describe('an error response', () => {
  for (const [rule, status, code, isRetryable] of STATUSES) {
    it(`[${rule}] with status ${status} is ${code}${isRetryable ? ', retryable' : ''}`, () => {
      expect(refused(status)).toMatchObject({ code, isRetryable, details: { status } });
    });
  }

  it('[N40] about missing credit is not a rate limit, and not retried', () => {
    const error = refused(429, {
      error: { message: 'You exceeded your quota.', code: 'insufficient_quota' },
    });
    expect(error).toMatchObject({ code: 'LLM_OUT_OF_CREDIT', isRetryable: false, isAboutKey: true });
    expect(error.message).toBe(
      'The account at provider.test has no credit left (429): "You exceeded your quota." Top it up, or use another key or model.',
    );
  });

  it('[N40] is described with what to do', () => {
    expect(refused(404, { error: { message: 'The model does not exist' } }).message).toBe(
      'provider.test has no model "gpt-9" (404): "The model does not exist". Check the model\'s name, and that your account has access to it.',
    );
    expect(refused(404, '<html><title>404 Not Found</title></html>').message).toBe(
      'provider.test has nothing at this address (404): "404 Not Found". Check the address of the model, which usually ends in /v1.',
    );
    expect(refused(401, '', {}, { ...PEER, apiKey: undefined }).message).toBe(
      'provider.test wants an API key (401). Set an API key for this model.',
    );
    expect(refused(302, '', { location: 'https://elsewhere.test/v1' }).message).toContain(
      'https://elsewhere.test/v1',
    );
  });

  it.each<[string, number, unknown, boolean]>([
    ['OpenAI', 404, { message: 'The model `gpt-9` does not exist or you do not have access to it.' }, true],
    ['a code', 404, { message: 'No.', code: 'model_not_found' }, true],
    ['Ollama', 404, 'model "gpt-9" not found, try pulling it first', true],
    ['Claude', 404, { type: 'not_found_error', message: 'model: gpt-9' }, true],
    ['Gemini', 404, { message: 'models/gpt-9 is not found for API version v1beta' }, true],
    ['OpenRouter', 400, { message: 'gpt-9 is not a valid model ID' }, true],
    ['OpenRouter', 404, { message: 'No endpoints found for gpt-9.' }, true],
    ['Mistral', 400, { message: 'Invalid model: gpt-9', type: 'invalid_model' }, true],
    ['DeepSeek', 400, { message: 'Model Not Exist' }, true],
    ['a proxy', 404, '404 page not found', false],
    ['a wrong path', 404, { message: 'Invalid URL (POST /chat/completions)' }, false],
    ['Ollama', 400, { message: 'gemma does not support tools' }, false],
    ['an overload', 503, { message: 'The model gpt-9 does not exist on this node.' }, false],
    ['a message', 400, { message: 'The model produced invalid content.' }, false],
  ])('[N40] is about the name of the model only if it says so: %s, %i %j', (_, status, error, isUnknown) => {
    const found = refused(status, { error });
    expect(found.details?.isModelUnknown === true).toBe(isUnknown);
    expect(found.message.includes('has no model')).toBe(isUnknown);
  });

  it.each<[string, string, number | undefined]>([
    [
      'OpenAI',
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130001 tokens.",
      128_000,
    ],
    [
      'DeepSeek',
      "This model's maximum context length is 65536 tokens. However, you requested 75000 tokens",
      65_536,
    ],
    [
      'OpenRouter',
      "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens",
      131_072,
    ],
    [
      'vLLM',
      'The prompt (total length 5000) is too long to fit into the model (context length 4096).',
      4_096,
    ],
    ['vLLM', 'The decoder prompt (length 5000) is longer than the maximum model length of 4096.', 4_096],
    ['llama.cpp', 'the request exceeds the available context size (4096 tokens), try increasing it', 4_096],
    ['llama.cpp', 'the request exceeds the available context size, try increasing it', undefined],
    ['Ollama', 'input length exceeds the context length', undefined],
    [
      'LM Studio',
      'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 13055>= n_ctx: 4096).',
      4_096,
    ],
    [
      'LM Studio',
      'Trying to keep the first 9 tokens when context the overflows. However, the model is loaded with context length of only 2048 tokens',
      2_048,
    ],
    ['Claude', 'prompt is too long: 213462 tokens > 200000 maximum', 200_000],
    [
      'Gemini',
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      1_048_576,
    ],
    ['Kimi', 'Your request exceeded model token limit: 131072', 131_072],
  ])('[N40] is recognised as too long a request for %s: %s', (_provider, message, contextTokens) => {
    expect(refused(400, { error: { message } })).toMatchObject({
      code: 'LLM_CONTEXT_EXCEEDED',
      isRetryable: false,
      details: contextTokens === undefined ? { status: 400 } : { status: 400, contextTokens },
    });
  });

  it('[N40] is recognised as too long by code, by a field, and as a limit per minute that one request exceeds', () => {
    expect(refused(400, { error: { code: 'context_length_exceeded', message: '' } }).code).toBe(
      'LLM_CONTEXT_EXCEEDED',
    );
    const llama = { error: { code: 400, type: 'exceed_context_size_error', message: 'no', n_ctx: 2048 } };
    expect(refused(400, llama).details).toMatchObject({ contextTokens: 2_048 });
    expect(
      refused(429, { error: { message: 'Request too large for gpt-9 on tokens per min: Limit 1' } }).code,
    ).toBe('LLM_CONTEXT_EXCEEDED');
    expect(refused(429, { error: { message: 'too many tokens per minute' } }).code).toBe('LLM_RATE_LIMITED');
    expect(refused(400, { error: { message: 'max_tokens must be at most 4096' } }).code).toBe(
      'LLM_HTTP_ERROR',
    );
  });

  it.each<[Record<string, string>, number | undefined]>([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after': 'Sun, 15 Nov 2026 10:00:20 GMT', date: 'Sun, 15 Nov 2026 10:00:00 GMT' }, 20_000],
    [{ 'retry-after': 'Sun, 15 Nov 2026 10:00:00 GMT', date: 'Sun, 15 Nov 2026 11:00:00 GMT' }, undefined],
    [{ 'retry-after': '999999999999' }, 86_400_000],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '-3' }, undefined],
    [{ 'retry-after': '1e9' }, undefined],
    [{}, undefined],
  ])('[N42] with %j asks for a delay', (headers, retryAfterMs) => {
    expect(refused(429, '', headers).retryAfterMs).toBe(retryAfterMs);
    expect(refused(400, '', headers).retryAfterMs).toBeUndefined();
  });

  it.each<[string, unknown, string]>([
    ['an object', { error: { message: 'oh no' } }, 'oh no'],
    ['a text', { error: 'oh no' }, 'oh no'],
    ['a list', [{ error: { message: 'oh no' } }], 'oh no'],
    ['details of a validation', { message: { detail: [{ loc: ['body'], msg: 'oh no' }] } }, 'oh no'],
    [
      'a gateway',
      { error: { message: 'Provider error', metadata: { raw: 'oh no' } } },
      'Provider error oh no',
    ],
    ['plain text', 'oh no', 'oh no'],
    ['a page', '<html><head><title>oh no</title></head><body>long</body></html>', 'oh no'],
  ])("[L73] quotes the provider's message from %s", (_what, body, message) => {
    expect(refused(400, body).message).toContain(`(400): "${message}"`);
  });

  it('[L73] quotes no long text and no control characters', () => {
    const { message } = refused(500, {
      error: { message: `\u001b[31mred\u0007\u202e\n${'x'.repeat(5_000)}` },
    });
    expect(message).toContain('"[31mred xxx');
    expect(message).toMatch(/^[\x20-\x7e…]*$/);
    expect(message.length).toBeLessThan(400);
  });

  it('[L73] never shows the key or its beginning, wherever it is echoed', () => {
    const noise = fc.string({ maxLength: 330 });
    const echo = fc.constantFrom(
      KEY,
      `Bearer ${KEY}`,
      encodeURIComponent(KEY),
      `${KEY.slice(0, 4)}\u200b${KEY.slice(4)}`,
      KEY.slice(0, 12),
    );
    fc.assert(
      fc.property(noise, echo, noise, fc.constantFrom(301, 400, 401, 500), (before, key, after, status) => {
        const text = `${before}${key}${after}`;
        for (const body of [
          text,
          { error: { message: text } },
          { error: { message: 'x', metadata: { raw: text } } },
        ]) {
          const error = refused(status, body, { location: `https://elsewhere.test/?${text}` });
          expect(JSON.stringify(error)).not.toContain(KEY.slice(0, 9));
        }
      }),
    );
  });

  it('[N40] gives one sentence, whatever the body', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), fc.integer({ min: 300, max: 599 }), (body, status) => {
        expect(refused(status, body).message).toMatch(/^[A-Zp].*[.]$/);
      }),
    );
  });
});

describe('a failed connection', () => {
  it.each([
    ['ECONNREFUSED', true],
    ['ENOTFOUND', true],
    ['ETIMEDOUT', true],
    ['ESOMETHING', true],
    ['CERT_HAS_EXPIRED', false],
    ['ERR_TLS_CERT_ALTNAME_INVALID', false],
    ['EPROTO', false],
    ['HPE_INVALID_CONSTANT', false],
  ])('[N40] with %s names the host and what to do', (code, isRetryable) => {
    const error = toNetworkError(Object.assign(new Error('secret detail'), { code }), PEER);
    expect(error).toMatchObject({ code: 'LLM_HTTP_ERROR', isRetryable, details: { errno: code } });
    expect(error.message).toMatch(/^provider\.test .*\(.*\)\. .*\.$/);
    expect(error.message).not.toContain('secret');
  });
});
