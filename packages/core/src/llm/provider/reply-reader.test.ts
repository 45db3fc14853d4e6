import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  eventsReply,
  type ProviderReply,
  type StreamOptions,
  toChunks,
} from '../../testing/models/provider-replies.ts';
import type { ModelError, ModelReply } from '../llm-adapter.ts';
import { createReplyReader, type ReadReply, type ReadState } from './reply-reader.ts';

const PEER = { host: 'provider.test', model: 'm', apiKey: undefined };
const NAMES = ['fs_read', 'ask'];
const BARE = { content: '', toolCalls: [], reasoning: undefined, extra: undefined, usage: undefined };

interface Reading {
  readonly states: ReadState[];
  readonly read: ReadReply;
  readonly progress: string;
}

function readAll(pieces: readonly (string | Uint8Array)[], contentType = 'text/event-stream'): Reading {
  let progress = '';
  const reader = createReplyReader({
    peer: PEER,
    maxLength: 8 * 1024 * 1024,
    toolNames: NAMES,
    onProgress: ({ type, text }) => {
      progress += `${type[0]}:${text} `;
    },
  });
  reader.open(contentType);
  const states = pieces.map((piece) => reader.read(Buffer.from(piece)));
  return { states, read: reader.end(), progress };
}

function replyOf(pieces: readonly (string | Uint8Array)[], contentType?: string): ModelReply {
  const { read } = readAll(pieces, contentType);
  if (!read.ok) throw new Error(read.error.message);
  return read.reply;
}

function errorOf(pieces: readonly (string | Uint8Array)[], contentType?: string): ModelError {
  const { read } = readAll(pieces, contentType);
  if (read.ok) throw new Error('there is a reply');
  return read.error;
}

const chunksOf = (reply: ProviderReply): string[] => [...(reply.chunks as string[])];
const stream = (...chunks: unknown[]): string[] => chunksOf(eventsReply(chunks));
const delta = (fields: unknown, finish_reason: string | null = null): unknown => ({
  choices: [{ index: 0, delta: fields, finish_reason }],
});

describe('an empty response', () => {
  it.each([
    '{"choices":null}',
    '{"choices":[]}',
    '{}',
    '[]',
    'null',
    '""',
    '{"object":"chat.completion","choices":null,"usage":null}',
  ])('can be retried: %s', (body) => {
    expect(readAll([body], 'application/json').read).toMatchObject({
      ok: false,
      error: { code: 'LLM_BAD_RESPONSE', isRetryable: true },
    });
  });

  it('with empty events can be retried', () => {
    const read = readAll(['data: {"choices":null}\n\n', 'data: [DONE]\n\n']).read;
    expect(read).toMatchObject({ ok: false, error: { isRetryable: true } });
  });
});

describe('the token count', () => {
  const counted = (chunk: object) =>
    readAll([
      'data: {"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}\n\n',
      `data: ${JSON.stringify(chunk)}\n\n`,
    ]).read;

  it('[N1] is undefined if the provider reports zero tokens', () => {
    const zero = { choices: [], usage: { prompt_tokens: 0, completion_tokens: 0 } };
    expect(counted(zero)).toMatchObject({ ok: true, reply: { usage: undefined } });
  });

  it.each([
    ['beside the choices', { choices: [], usage: { prompt_tokens: 7, completion_tokens: 2 } }],
    [
      'inside of the choice',
      { choices: [{ index: 0, delta: {}, usage: { prompt_tokens: 7, completion_tokens: 2 } }] },
    ],
    ['in a field of Groq', { choices: [], x_groq: { usage: { prompt_tokens: 7, completion_tokens: 2 } } }],
  ])('[N1] is found %s', (_, chunk) => {
    expect(counted(chunk)).toMatchObject({ reply: { usage: { promptTokens: 7, completionTokens: 2 } } });
  });
});

describe('an event stream', () => {
  it('[N10] gives the same reply however it is chunked, terminated and padded', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', ' ', '\n', '\r', '"', 'é', '漢', '😀', 'data:', '\u2028'),
    });
    const call = fc.record({
      name: fc.constantFrom(...NAMES),
      arguments: fc.dictionary(text, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 }),
    });
    const reply = fc.record({
      text,
      reasoning: text,
      toolCalls: fc.array(call, { maxLength: 3 }),
      pieceLength: fc.integer({ min: 1, max: 20 }),
    });
    const style = fc.record({
      newline: fc.constantFrom('\n', '\r\n', '\r'),
      filler: fc.constantFrom('', ': ping', ':', 'id: 7', 'event: message', 'retry: 10', 'unknown: field'),
      space: fc.constantFrom('', ' '),
      hasManyLines: fc.boolean(),
      hasBom: fc.boolean(),
      hasDone: fc.boolean(),
      hasLastBlank: fc.boolean(),
    });
    fc.assert(
      fc.property(reply, style, fc.array(fc.nat(), { maxLength: 12 }), (options, how, cuts) => {
        const bytes = Buffer.from(inStyle(options, how));
        const empty = options.text === '' && options.reasoning === '' && options.toolCalls.length === 0;
        const { read, progress } = readAll(cutAt(bytes, cuts));
        if (empty) {
          expect(read).toMatchObject({ ok: false, error: { code: 'LLM_BAD_RESPONSE' } });
          return;
        }
        expect(read).toEqual({
          ok: true,
          isStreamed: true,
          reply: {
            ...BARE,
            content: options.text,
            reasoning: options.reasoning === '' ? undefined : options.reasoning,
            toolCalls: options.toolCalls.map(({ name, arguments: object }, at) => ({
              id: `call_${at + 1}`,
              name,
              arguments: JSON.stringify(object),
              isCutOff: false,
              extra: undefined,
            })),
            finishReason: options.toolCalls.length > 0 ? 'tool_calls' : 'stop',
            usage: { promptTokens: 100, completionTokens: 10, cachedTokens: 0 },
          },
        });
        expect(progress.replaceAll(/[rt]:| /g, '')).toBe(
          (options.reasoning + options.text).replaceAll(/[rt]:| /g, ''),
        );
      }),
    );
  });

  it('[N10] never throws, whatever the bytes', () => {
    const bytes = fc.uint8Array({ maxLength: 60 });
    const event = fc.oneof(
      fc.json({ maxDepth: 3 }).map((json) => `data: ${json}\n\n`),
      fc
        .jsonValue({ maxDepth: 3 })
        .map((value) => `data: ${JSON.stringify({ choices: [{ delta: value }] })}\n\n`),
      fc
        .jsonValue({ maxDepth: 3 })
        .map((value) => `data: ${JSON.stringify(delta({ tool_calls: value }))}\n\n`),
      fc.jsonValue({ maxDepth: 3 }).map((value) => `data: ${JSON.stringify({ error: value })}\n\n`),
      fc.constant('data: [DONE]\n\n'),
    );
    fc.assert(
      fc.property(
        fc.array(fc.oneof(bytes, event), { maxLength: 6 }),
        fc.constantFrom('', 'text/event-stream'),
        (pieces, type) => {
          expect(readAll(pieces, type).read.ok).toBeTypeOf('boolean');
        },
      ),
    );
  });

  it('[N10] includes a last event without its blank line, and may end without [DONE]', () => {
    const events = stream(delta({ content: 'all ' }), delta({ content: 'of it' }, 'stop')).slice(0, 2);
    expect(replyOf([events.join('').trimEnd()]).content).toBe('all of it');
  });

  it('[N10] is ignored after [DONE]', () => {
    const events = [
      ...stream(delta({ content: 'this' })),
      ...stream(delta({ content: ', not that' })),
      'data: {bad',
    ];
    expect(replyOf(events)).toMatchObject({ content: 'this', finishReason: 'stop' });
    expect(readAll(events).states.at(-1)).toBe('done');
  });

  it('[N10] without a finish reason and without [DONE] is cut off', () => {
    const events = stream(delta({ content: 'half' })).slice(0, 1);
    expect(errorOf(events)).toMatchObject({ code: 'LLM_BAD_RESPONSE', isRetryable: true });
    const error = errorOf([...events, 'data: {"choices":[{"de']);
    expect(error.message).toContain('cut off');
    expect(error.details).toEqual({ isBrokenOff: true });
  });

  it('[N10] with an event that is not JSON is rejected, since part of it may be missing', () => {
    expect(errorOf([...stream(delta({ content: 'a' })).slice(0, 1), 'data: {oh}\n\n'])).toMatchObject({
      code: 'LLM_BAD_RESPONSE',
      isRetryable: true,
    });
    expect(errorOf(['data: "text"\n\n']).code).toBe('LLM_BAD_RESPONSE');
  });

  it('[N12] distinguishes data from comments, blank lines and pings, also inside a long event', () => {
    const long = JSON.stringify(delta({ content: 'x'.repeat(100) }, 'stop'));
    const pieces = [
      ': OPENROUTER PROCESSING\n\n',
      '\n\n',
      'data:\n\n',
      'event: ping\ndata: {"type":"ping"}\n\n',
      ': half a comm',
      'ent\n',
      'da',
      'ta: ',
      long.slice(0, 50),
      long.slice(50),
      '\n\n',
    ];
    expect(readAll(pieces).states).toEqual([
      ...Array.from({ length: 7 }, () => 'nothing'),
      'data',
      'data',
      'data',
      'finished',
    ]);
  });
});

describe('a reply', () => {
  it('[N10] has text, lists of parts and refusals as content', () => {
    const parts = [{ type: 'text', text: 'b' }, 'c', { type: 'image' }, { type: 'refusal', refusal: 'd' }];
    const events = stream(
      delta({ content: 'a' }),
      delta({ content: parts }),
      delta({ refusal: 'e' }),
      delta({ content: null }, 'stop'),
    );
    expect(replyOf(events).content).toBe('abcde');
  });

  it('[N10] has reasoning under either name, and once if both are present', () => {
    const events = stream(
      delta({ reasoning_content: 'first ' }),
      delta({ reasoning: 'second ' }),
      delta({ reasoning: 'third', reasoning_content: 'third' }),
      delta({ content: 'so' }, 'stop'),
    );
    const { read, progress } = readAll(events);
    expect(read).toMatchObject({ ok: true, reply: { reasoning: 'first second third', content: 'so' } });
    expect(progress).toBe('r:first  r:second  r:third t:so ');
  });

  it('[N10] supports the function call of old servers, unless it also has tool calls', () => {
    const old = { name: 'ask', arguments: '{}' };
    expect(replyOf(stream(delta({ function_call: old }, 'function_call'))).toolCalls).toMatchObject([
      { id: '', name: 'ask', arguments: '{}' },
    ]);
    const both = { function_call: old, tool_calls: [{ index: 0, id: 'a', function: old }] };
    expect(replyOf(stream(delta(both, 'tool_calls'))).toolCalls).toHaveLength(1);
  });

  it('[N10] keeps unknown fields: fragments of reasoning are joined, otherwise the last value wins', () => {
    const reply = replyOf(
      stream(
        delta({
          content: 'x',
          thinking_text: 'a',
          reasoning_details: [{ n: 1 }],
          mood: 'bad',
          audio: null,
          annotations: [],
        }),
        delta({ thinking_text: 'b', reasoning_details: [{ n: 2 }], mood: 'good' }),
        delta(
          {
            tool_calls: [
              {
                index: 0,
                id: 'a',
                function: { name: 'ask', arguments: '{}' },
                extra_content: { google: { s: 1 } },
              },
            ],
          },
          'tool_calls',
        ),
      ),
    );
    expect(reply.extra).toEqual({
      thinking_text: 'ab',
      reasoning_details: [{ n: 1 }, { n: 2 }],
      mood: 'good',
    });
    expect(reply.toolCalls[0]?.extra).toEqual({ extra_content: { google: { s: 1 } } });
  });

  it('[N10] treats __proto__ as an ordinary name, and drops values that are nested too deeply', () => {
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
    const event = `data: {"choices":[{"delta":{"content":"x","__proto__":{"polluted":1},"deep":${deep}},"finish_reason":"stop"}]}\n\n`;
    const { extra } = replyOf([event]);
    expect(JSON.stringify(extra)).toBe('{"__proto__":{"polluted":1}}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('[N1] has the last token count, wherever it is', () => {
    const count = (fields: Record<string, unknown>): unknown => ({
      choices: [],
      usage: { completion_tokens: 2, ...fields },
    });
    const usageOf = (...counts: unknown[]): unknown =>
      replyOf(stream(delta({ content: 'x' }, 'stop'), ...counts)).usage;
    expect(
      usageOf(
        count({ prompt_tokens: 1 }),
        count({ prompt_tokens: 9, prompt_tokens_details: { cached_tokens: 4 } }),
      ),
    ).toEqual({
      promptTokens: 9,
      completionTokens: 2,
      cachedTokens: 4,
    });
    expect(usageOf(count({ prompt_tokens: 9, prompt_cache_hit_tokens: 5 }))).toMatchObject({
      cachedTokens: 5,
    });
    expect(usageOf(count({ prompt_tokens: 9, prompt_cache_hit_tokens: 500 }))).toMatchObject({
      cachedTokens: 9,
    });
    expect(
      usageOf({ choices: [], usage: null }, { choices: [], usage: { prompt_tokens: '9' } }),
    ).toBeUndefined();
  });

  it('[N10] has the given finish reason, "length" under any name, or one derived from its content', () => {
    const reasonOf = (reason: string | null, fields: unknown = { content: 'x' }): string =>
      replyOf(stream(delta(fields, reason))).finishReason;
    expect(reasonOf('content_filter', {})).toBe('content_filter');
    expect(reasonOf('max_tokens')).toBe('length');
    expect(reasonOf('odd')).toBe('odd');
    expect(reasonOf(null)).toBe('stop');
    expect(reasonOf('', { tool_calls: [{ index: 0, function: { name: 'ask', arguments: '' } }] })).toBe(
      'tool_calls',
    );
  });

  it.each<[string, StreamOptions, boolean]>([
    ['nothing at all', {}, false],
    ['nothing but a spent limit', { finishReason: 'length' }, false],
    ['a provider that gave up', { text: 'half', finishReason: 'error' }, true],
  ])('[N10] is rejected if it is %s', (_name, options, isRetryable) => {
    expect(errorOf(chunksOf(eventsReply(toChunks(options))))).toMatchObject({
      code: 'LLM_BAD_RESPONSE',
      isRetryable,
    });
  });

  it('[N10] is rejected if the arguments of a tool call cannot be serialised', () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const event = `data: {"choices":[{"delta":{"tool_calls":[{"function":{"name":"ask","arguments":${deep}}}]}}]}\n\n`;
    expect(errorOf([event, 'data: [DONE]\n\n'])).toMatchObject({
      code: 'LLM_BAD_RESPONSE',
      isRetryable: true,
    });
  });
});

describe('a response that is not a stream', () => {
  const COMPLETION = {
    choices: [
      {
        message: {
          role: 'assistant',
          content: 'hi',
          tool_calls: [{ id: 'a', function: { name: 'ask', arguments: {} } }],
        },
        finish_reason: 'tool_calls',
      },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 2 },
  };

  it('[N40] is read as one document, whatever its content type', () => {
    const json = JSON.stringify(COMPLETION);
    for (const type of ['application/json', 'text/event-stream', '']) {
      const { read, states } = readAll(['\n', json.slice(0, 12), '\n', json.slice(12)], type);
      expect(read).toMatchObject({
        ok: true,
        isStreamed: false,
        reply: {
          content: 'hi',
          toolCalls: [{ id: 'a', name: 'ask', arguments: '{}' }],
          finishReason: 'tool_calls',
        },
      });
      expect(states).toEqual(['nothing', 'data', 'nothing', 'data']);
    }
    expect(errorOf([json.slice(0, 40)]).message).toContain('cut off');
  });

  it('[N40] is a stream if it looks like one, whatever its content type', () => {
    expect(replyOf(stream(delta({ content: 'x' }, 'stop')), 'text/plain').content).toBe('x');
  });

  it.each([
    ['text/html', '<!doctype html><title>Welcome</title>'],
    ['application/json', '{"hello":"world"}'],
    ['text/plain', 'It works!'],
    ['', 'ok'],
  ])('[N40] is reported as not an API if it is %s', (type, body) => {
    const error = errorOf([body], type);
    expect(error).toMatchObject({ code: 'LLM_BAD_RESPONSE', isRetryable: false });
    expect(error.message).toContain('usually ends in /v1');
  });

  it('[N40] is retried if it is empty', () => {
    expect(errorOf([])).toMatchObject({ code: 'LLM_BAD_RESPONSE', isRetryable: true });
  });

  it.each<[unknown, Partial<ModelError>]>([
    [
      { message: 'overloaded', type: 'server_error' },
      { code: 'LLM_HTTP_ERROR', isRetryable: true },
    ],
    [
      { message: 'slow down', code: 429 },
      { code: 'LLM_RATE_LIMITED', isRetryable: true },
    ],
    [
      { message: 'no', code: 'invalid_api_key' },
      { code: 'LLM_AUTH_FAILED', isRetryable: false },
    ],
    [
      { message: 'empty', type: 'insufficient_quota' },
      { code: 'LLM_OUT_OF_CREDIT', isRetryable: false },
    ],
    [
      { message: 'bad', type: 'invalid_request_error' },
      { code: 'LLM_HTTP_ERROR', isRetryable: false },
    ],
    ['it broke', { code: 'LLM_HTTP_ERROR', isRetryable: true }],
    [
      {
        message:
          'Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens',
      },
      { code: 'LLM_CONTEXT_EXCEEDED', details: { contextTokens: 4096 } },
    ],
  ])('[N40] an error inside the stream is recognised: %j', (complaint, expected) => {
    const half = stream(delta({ content: 'half' })).slice(0, 1);
    expect(errorOf([...half, ...stream({ error: complaint })])).toMatchObject(expected);
    expect(
      errorOf([...half, `event: error\ndata: ${JSON.stringify({ error: complaint })}\n\n`]),
    ).toMatchObject(expected);
    expect(errorOf([JSON.stringify({ error: complaint })], 'application/json')).toMatchObject(expected);
    expect(errorOf(stream({ choices: [{ error: complaint, delta: {} }] }))).toMatchObject(expected);
  });
});

interface Style {
  readonly newline: string;
  readonly filler: string;
  readonly space: string;
  readonly hasManyLines: boolean;
  readonly hasBom: boolean;
  readonly hasDone: boolean;
  readonly hasLastBlank: boolean;
}

function inStyle(options: StreamOptions, style: Style): string {
  const events = toChunks(options).map((chunk) => JSON.stringify(chunk, null, style.hasManyLines ? 1 : 0));
  const lines = [...events, ...(style.hasDone ? ['[DONE]'] : [])].flatMap((json) => [
    ...(style.filler === '' ? [] : [style.filler]),
    ...json.split('\n').map((line) => `data:${style.space}${line}`),
    '',
  ]);
  const text = lines.join(style.newline) + (style.hasLastBlank ? style.newline : '');
  return (style.hasBom ? '\uFEFF' : '') + text;
}

function cutAt(bytes: Buffer, positions: readonly number[]): Buffer[] {
  const cuts = [...new Set(positions.map((position) => position % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...cuts, bytes.length].map((cut, at) => bytes.subarray(at === 0 ? 0 : cuts[at - 1], cut));
}
