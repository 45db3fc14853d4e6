import { once } from 'node:events';
import { createServer } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startFakeProvider } from '../../testing/models/fake-provider.ts';
import { drop, statusReply, textReply, wholeReply } from '../../testing/models/provider-replies.ts';
import { createChatRig, createTestChat, HELLO } from '../../testing/rigs/chat-rig.ts';
import type { ChatMessage } from '../wire.ts';

const KEY = 'sk-test-0123456789';
const settingsFor = (baseUrl: string) => ({ provider: 'generic', baseUrl, model: 'm' }) as const;

describe('a request', () => {
  it('[N5] goes to the configured address with the required headers', async () => {
    const { provider, chat, ask } = await createChatRig([textReply('hi')], { apiKey: ` ${KEY}\n` });
    expect(await ask()).toMatchObject({ kind: 'reply', isStreamed: true, reply: { content: 'hi' } });
    const [request] = provider.requests;
    expect(request).toMatchObject({
      method: 'POST',
      path: '/v1/chat/completions',
      headers: {
        authorization: `Bearer ${KEY}`,
        'accept-encoding': 'identity',
        'content-type': 'application/json',
        'content-length': String(request?.rawBody.length),
      },
      body: { model: 'm', stream: true, stream_options: { include_usage: true } },
    });
    expect(request?.headers.accept).toMatch(/^text\/event-stream/);
    expect(request?.headers['user-agent']).toMatch(/^crewagent\/\d+\.\d+\.\d+$/);
    expect(chat.traits).toMatchObject({
      name: 'm',
      contextTokens: 128_000,
      takesSeveralSystemMessages: false,
      wantsReasoningBack: false,
      prices: undefined,
    });
  });

  it('[N5] has no key header without a key, and supports base URLs with another path', async () => {
    const { provider, reply } = await createChatRig([textReply('hi'), textReply('hi')]);
    await reply();
    expect(provider.requests[0]?.headers).not.toHaveProperty('authorization');

    const server = createServer((socket) =>
      socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\ndata: [DONE]\n\n'),
    );
    onTestFinished(() => void server.close());
    server.listen(0, '::1');
    const [listening] = await Promise.race([
      once(server, 'listening').then(() => [true]),
      once(server, 'error').then(() => [false]),
    ]);
    if (!listening) return;
    const { port } = server.address() as { port: number };
    const outcome = await createTestChat(`http://[::1]:${port}/v1`, { retry: { tries: 1 } }).chat(
      HELLO,
      watch(),
    );
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'LLM_BAD_RESPONSE' } });
  });

  it('[N5] is never sent to the target of a redirect', async () => {
    const elsewhere = await startFakeProvider([textReply('stolen')]);
    onTestFinished(() => elsewhere.close());
    for (const status of [301, 302, 303, 307, 308]) {
      const location = `${elsewhere.url}/chat/completions`;
      const { error, provider } = await createChatRig([statusReply(status, '', { location })], {
        apiKey: KEY,
      });
      expect(await error()).toMatchObject({
        code: 'LLM_HTTP_ERROR',
        isRetryable: false,
        details: { status },
      });
      expect(provider.requests).toHaveLength(1);
    }
    expect(elsewhere.requests).toHaveLength(0);
  });

  it('reuses one connection, also after errors', async () => {
    const { provider, reply, error } = await createChatRig([
      textReply('1'),
      wholeReply({ text: '2' }),
      statusReply(400, 'no'),
      textReply('4'),
      textReply('5'),
    ]);
    await reply();
    await reply();
    await error();
    await reply();
    await reply();
    expect(provider.requests.map(({ connection }) => connection)).toEqual([1, 1, 1, 1, 1]);
  });

  it('leaves its connection to others while it waits, and closing one of them breaks no request of another', async () => {
    const { provider, chat, reply } = await createChatRig([textReply('1'), textReply('2'), textReply('3')]);
    await reply();
    const other = createTestChat(provider.url);
    const watch = { signal: new AbortController().signal, onProgress: () => undefined };
    expect(await other.chat(HELLO, watch)).toMatchObject({ kind: 'reply', reply: { content: '2' } });
    const asked = other.chat(HELLO, watch);
    chat.close();
    expect(await asked).toMatchObject({ kind: 'reply', reply: { content: '3' } });
    expect(await chat.chat(HELLO, watch)).toEqual({ kind: 'aborted' });
    expect(provider.requests.map(({ connection }) => connection)).toEqual([1, 1, 1]);
  });

  it('uses a new connection at once if the reused one was closed, without counting an attempt', async () => {
    const { provider, reply, progress } = await createChatRig([textReply('1'), drop(), textReply('2')], {
      retry: { tries: 1 },
    });
    await reply();
    expect(await reply()).toMatchObject({ content: '2' });
    expect(provider.requests.map(({ connection }) => connection)).toEqual([1, 1, 2]);
    expect(progress.filter(({ type }) => type === 'retry')).toEqual([]);
  });

  it('counts an attempt if a new connection breaks', async () => {
    const { reply, retries } = await createChatRig([drop(), textReply('2')]);
    expect(await reply()).toMatchObject({ content: '2' });
    expect(retries()).toEqual(['2 LLM_HTTP_ERROR']);
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('decodes a response in %s that was not requested', async (encoding, compress) => {
    const plain = textReply('pressed');
    const packed = compress(Buffer.from([...(plain.chunks as string[])].join('')));
    const headers = { ...plain.headers, 'content-encoding': encoding };
    const { reply, error } = await createChatRig(
      [
        { ...plain, headers, chunks: [packed.subarray(0, 30), packed.subarray(30)] },
        { ...plain, headers, chunks: [packed.subarray(0, 30)] },
      ],
      { retry: { tries: 1 } },
    );
    expect(await reply()).toMatchObject({ content: 'pressed' });
    expect(await error()).toMatchObject({ code: 'LLM_BAD_RESPONSE', isRetryable: true });
  });
});

describe('a provider', () => {
  it('[N40] may send a reply in one piece', async () => {
    const { ask, progress } = await createChatRig([wholeReply({ text: 'whole' })]);
    expect(await ask()).toMatchObject({ kind: 'reply', isStreamed: false, reply: { content: 'whole' } });
    expect(progress).toEqual([{ type: 'started' }, { type: 'text', text: 'whole' }]);
  });

  it('[N125] that rejects stream_options is not sent them again', async () => {
    const { provider, reply, progress } = await createChatRig(({ body }) =>
      'stream_options' in body
        ? statusReply(422, {
            message: { detail: [{ loc: ['body', 'stream_options'], msg: 'Extra inputs are not permitted' }] },
          })
        : textReply('fine'),
    );
    await reply();
    await reply();
    expect(provider.requests.map(({ body }) => 'stream_options' in body)).toEqual([true, false, false]);
    expect(progress.filter(({ type }) => type !== 'text' && type !== 'started')).toEqual([]);
  });

  it('[N125] that does not stream is asked for whole replies from then on', async () => {
    const { provider, reply } = await createChatRig(({ body }) =>
      body.stream === true
        ? statusReply(400, { error: { message: 'Streaming is not supported.' } })
        : wholeReply({ text: 'fine' }),
    );
    expect(await reply()).toMatchObject({ content: 'fine' });
    await reply();
    expect(provider.requests.map(({ body }) => body.stream)).toEqual([true, true, false, false]);
  });

  it('[N125] is still asked for streams after other errors', async () => {
    const { provider, error, reply } = await createChatRig((_, index) =>
      index < 3
        ? statusReply(400, { error: { message: 'Bad parameter beside stream.' } })
        : textReply('fine'),
    );
    expect(await error()).toMatchObject({ code: 'LLM_HTTP_ERROR', isRetryable: false });
    await reply();
    expect(provider.requests.at(-1)?.body).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('[N1] reports the cost of a reply', async () => {
    const settings = {
      ...settingsFor('http://127.0.0.1:9'),
      prices: { input: 1, cachedInput: 0.5, output: 10 },
    };
    const usage = {
      prompt_tokens: 1_000,
      completion_tokens: 100,
      prompt_tokens_details: { cached_tokens: 600 },
    };
    const provider = await startFakeProvider([textReply('hi', { usage })]);
    onTestFinished(() => provider.close());
    const chat = createTestChat(provider.url, { settings: { ...settings, baseUrl: provider.url } });
    const outcome = await chat.chat(HELLO, watch());
    expect(outcome).toMatchObject({
      reply: { usage: { promptTokens: 1_000, completionTokens: 100, cachedTokens: 600, costUsd: 0.0017 } },
    });
  });
});

describe('a request that cannot succeed', () => {
  it('[N5] fails without being sent if a required key is missing or invalid', async () => {
    const none = createTestChat('', {
      settings: { provider: 'openai', model: 'm', apiKeyEnv: 'OPENAI_API_KEY' },
    });
    expect(await none.chat(HELLO, watch())).toMatchObject({
      kind: 'failed',
      error: { code: 'LLM_AUTH_FAILED', message: expect.stringContaining('OPENAI_API_KEY') as string },
    });
    const { provider, error } = await createChatRig([], { apiKey: 'two\nlines-of-secret' });
    const damaged = await error();
    expect(damaged).toMatchObject({ code: 'LLM_AUTH_FAILED', isRetryable: false });
    expect(damaged.message).not.toContain('secret');
    expect(provider.requests).toHaveLength(0);
  });

  it('[N40] names the host that does not answer', async () => {
    const provider = await startFakeProvider([]);
    await provider.close();
    const outcome = await createTestChat(provider.url, { retry: { tries: 2 } }).chat(HELLO, watch());
    expect(outcome).toMatchObject({
      kind: 'failed',
      error: { code: 'LLM_HTTP_ERROR', isRetryable: true, details: { errno: 'ECONNREFUSED' } },
    });
    expect(JSON.stringify(outcome)).toContain(new URL(provider.url).host);
  });

  it('[N40] is not retried if the server does not use HTTP', async () => {
    const server = createServer((socket) =>
      socket.on('error', () => undefined).end('SSH-2.0-OpenSSH_9.2\r\n'),
    );
    onTestFinished(() => void server.close());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const outcome = await createTestChat(`http://127.0.0.1:${port}/v1`).chat(HELLO, watch());
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'LLM_HTTP_ERROR', isRetryable: false } });
  });

  it('[N40] is not retried if the server uses HTTP instead of HTTPS, and says what to check', async () => {
    const { provider } = await createChatRig([]);
    const outcome = await createTestChat(provider.url.replace('http:', 'https:')).chat(HELLO, watch());
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'LLM_HTTP_ERROR', isRetryable: false } });
    expect(JSON.stringify(outcome)).toContain('http or https');
  });

  it('[L73] never shows a key that the provider echoes', async () => {
    const { error } = await createChatRig(
      ({ headers }) =>
        statusReply(401, { error: { message: `Incorrect API key provided: ${headers.authorization}` } }),
      { apiKey: KEY },
    );
    const { code, message } = await error();
    expect(code).toBe('LLM_AUTH_FAILED');
    expect(message).toContain('Incorrect API key provided: Bearer [key]');
  });

  it('[N42] respects the delay that a busy provider asks for', async () => {
    const { reply, progress } = await createChatRig([
      statusReply(429, 'slow down', { 'retry-after-ms': '40' }),
      textReply('ok'),
    ]);
    await reply();
    expect(progress[0]).toMatchObject({
      type: 'retry',
      attempt: 2,
      delayMs: 40,
      error: { code: 'LLM_RATE_LIMITED' },
    });
  });

  it('[N1] repeats the previous request byte for byte on the wire', async () => {
    const provider = await startFakeProvider(() => textReply('ok'));
    onTestFinished(() => provider.close());
    const chat = createTestChat(provider.url);
    const messages: ChatMessage[] = [{ role: 'user', content: 'first' }];
    await chat.chat({ messages, tools: HELLO.tools }, watch());
    await chat.chat(
      {
        messages: [...messages, { role: 'assistant', content: 'ok' }, { role: 'user', content: 'second' }],
        tools: HELLO.tools,
      },
      watch(),
    );
    const [before, after] = provider.requests.map(({ rawBody }) => rawBody.toString());
    expect(after?.startsWith(before?.slice(0, -2) ?? '?')).toBe(true);
    expect(provider.violations).toEqual([]);
  });
});

function watch() {
  return { signal: new AbortController().signal, onProgress: () => undefined };
}
