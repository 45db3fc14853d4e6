import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { driverPath } from '../../testing/driver-path.ts';
import {
  cutAfter,
  endAfter,
  endlessReply,
  eventsReply,
  hangAfterHeaders,
  hangBeforeHeaders,
  type ProviderReply,
  rawReply,
  stallAfter,
  statusReply,
  textReply,
  toolCallReply,
  tricklingReply,
  wholeReply,
} from '../../testing/models/provider-replies.ts';
import { createChatRig, createTestChat, HELLO } from '../../testing/rigs/chat-rig.ts';

const watching = () => ({ signal: new AbortController().signal, onProgress: () => undefined });

describe('a broken stream', () => {
  const calls = toolCallReply([
    { name: 'ask', arguments: { first: 'complete' } },
    { name: 'ask', arguments: { second: 'not yet' } },
  ]);
  const length = Buffer.concat((calls.chunks as string[]).map((chunk) => Buffer.from(chunk))).length;

  it.each<[string, ProviderReply]>([
    ['cut in the head of the first event', cutAfter(calls, 3)],
    ['cut inside the arguments', cutAfter(calls, 700)],
    ['cut after a complete call', cutAfter(calls, 1_300)],
    ['cut by a reset', { ...cutAfter(calls, 700), ending: 'reset' }],
    ['ended politely before its end', endAfter(calls, 4)],
    ['holding an event that is not JSON', rawReply(['data: {"choices":\n\n'])],
    ['holding an error', rawReply(['data: {"error":{"message":"overloaded"}}\n\n'])],
    ['empty', rawReply([])],
    ['204', { status: 204 }],
  ])('[N10] is retried from the start, never used in part: %s', async (_name, broken) => {
    expect(length).toBeGreaterThan(1_500);
    const { reply, retries, provider } = await createChatRig([textReply('before'), broken, calls]);
    await reply();
    const second = await reply();
    expect(second.toolCalls.map((call) => call.arguments)).toEqual([
      '{"first":"complete"}',
      '{"second":"not yet"}',
    ]);
    expect(retries()).toHaveLength(1);
    expect(provider.requests).toHaveLength(3);
  });

  it.each<[string, ProviderReply]>([
    ['before the head', hangBeforeHeaders()],
    ['after the head', hangAfterHeaders()],
    ['in the middle', stallAfter(textReply('a long text that stops somewhere'), 3)],
    ['with nothing but pings', tricklingReply(': ping\n\n', 10)],
    ['with nothing but empty events', tricklingReply('data:\n\n', 10)],
    ['before a document', { ...wholeReply({ text: 'x' }), chunks: ['\n'], ending: 'hang' }],
  ])('[N12] times out if no data arrives %s', async (_name, silent) => {
    const { error, retries, provider } = await createChatRig([silent, silent], {
      timeouts: { firstByteMs: 300, idleMs: 300 },
      retry: { tries: 2 },
    });
    expect(await error()).toMatchObject({ code: 'LLM_TIMEOUT', isRetryable: true });
    expect(retries()).toEqual(['2 LLM_TIMEOUT']);
    // On a busy machine the provider may notice the last disconnect late.
    await expect.poll(() => provider.requests.length).toBe(2);
  });

  it('announces the first data of a model that may take long to begin, and of no other', async () => {
    const slow = await createChatRig([calls], { timeouts: { firstByteMs: 1_800_000 } });
    await slow.reply();
    expect(slow.progress).toEqual([{ type: 'started' }]);
    const quick = await createChatRig([calls], { timeouts: { firstByteMs: 300_000 } });
    await quick.reply();
    expect(quick.progress).toEqual([]);
  });

  it('[N12] waits as long as data comes', async () => {
    const event = 'data: {"choices":[{"delta":{"content":"x"}}]}\n\n';
    const slow = async function* (): AsyncGenerator<string> {
      for (let at = 0; at < 8; at++) {
        await new Promise((resolve) => setTimeout(resolve, 300));
        yield event.slice(0, 30);
        yield event.slice(30);
      }
      yield 'data: [DONE]\n\n';
    };
    const { reply } = await createChatRig([rawReply(slow())], {
      timeouts: { firstByteMs: 2_000, idleMs: 2_000 },
    });
    expect(await reply()).toMatchObject({ content: 'xxxxxxxx' });
  });

  it('[N12] ends if a reply exceeds the size limit', async () => {
    const chunk = 'data: {"choices":[{"delta":{"content":"on and on "}}]}\n\n';
    const { error, provider } = await createChatRig([endlessReply(chunk.repeat(50))], {
      maxReplyBytes: 1_000_000,
    });
    expect(await error()).toMatchObject({ code: 'LLM_BAD_RESPONSE', isRetryable: false });
    expect(provider.requests).toHaveLength(1);
  });

  it('[N12] ends if a reply exceeds the time limit', async () => {
    const chunk = 'data: {"choices":[{"delta":{"content":"on and on "}}]}\n\n';
    const { error } = await createChatRig([tricklingReply(chunk, 10)], { timeouts: { replyMs: 200 } });
    expect(await error()).toMatchObject({ code: 'LLM_TIMEOUT', isRetryable: false });
  });

  const large = (delta: object, megabytes: number): ProviderReply =>
    eventsReply(Array.from({ length: megabytes }, () => ({ choices: [{ delta }] })));
  const million = 'x'.repeat(1_000_000);

  it('[N12] accepts a reply of 7 MB, and of 25 MB if the settings allow it', async () => {
    const { reply } = await createChatRig([large({ content: million }, 7)]);
    expect((await reply()).content).toHaveLength(7_000_000);
    const settings = { provider: 'generic', model: 'm', maxReplyMiB: 32 } as const;
    const { provider } = await createChatRig([large({ content: million }, 25)]);
    const patient = createTestChat(provider.url, { settings: { ...settings, baseUrl: provider.url } });
    const outcome = await patient.chat(HELLO, watching());
    expect(outcome).toMatchObject({ kind: 'reply' });
  });

  it.each<[string, ProviderReply]>([
    ['content', large({ content: million }, 9)],
    ['reasoning', large({ reasoning_content: million }, 9)],
    ['arguments', large({ tool_calls: [{ index: 0, function: { name: 'ask', arguments: million } }] }, 9)],
    ['unknown fields', large({ thought_details: [million] }, 9)],
    ['a document', wholeReply({ text: 'x'.repeat(10_000_000) })],
  ])('[N12] rejects a reply of more than 8 MiB: %s', async (_name, reply) => {
    const { error, retries } = await createChatRig([reply]);
    expect(await error()).toMatchObject({ code: 'LLM_BAD_RESPONSE', isRetryable: false });
    expect(retries()).toEqual([]);
  });

  it.each<[string, ProviderReply]>([
    ['a connection that stays open after [DONE]', { ...textReply('all'), ending: 'hang' }],
    ['a connection that breaks after [DONE]', { ...textReply('all'), ending: 'cut' }],
    [
      'a connection that stays open after the finish reason',
      { ...textReply('all', { hasDone: false }), ending: 'hang' },
    ],
    [
      'a connection that breaks after the finish reason',
      { ...textReply('all', { hasDone: false, usage: null }), ending: 'cut' },
    ],
    [
      'a connection that is reset after the finish reason',
      { ...textReply('all', { hasDone: false }), ending: 'reset' },
    ],
  ])('[N10] does not matter once the reply is complete: %s', async (_name, open) => {
    const { reply, retries } = await createChatRig([open, textReply('next')], {
      timeouts: { firstByteMs: 2_000, idleMs: 2_000 },
    });
    expect(await reply()).toMatchObject({ content: 'all' });
    expect(await reply()).toMatchObject({ content: 'next' });
    expect(retries()).toEqual([]);
  });

  it('delays only the first reply if the connection stays open after the finish reason', async () => {
    const open: ProviderReply = { ...textReply('all', { hasDone: false, usage: null }), ending: 'hang' };
    const { reply } = await createChatRig([open, open, open, open, open, open]);
    const waits: number[] = [];
    for (let turn = 0; turn < 6; turn++) {
      const startMs = performance.now();
      expect((await reply()).content).toBe('all');
      waits.push(performance.now() - startMs);
    }
    const [first = 0, ...later] = waits;
    expect(Math.min(...later)).toBeLessThan(first / 2);
  });

  it('[N12] allows a local server a long time until its first data, and does not retry a timeout before it', async () => {
    const late = async function* (): AsyncGenerator<string> {
      await new Promise((resolve) => setTimeout(resolve, 900));
      yield 'data: {"choices":[{"delta":{"content":"late"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
    };
    const timeouts = { firstByteMs: 3_000, idleMs: 300 };
    const { reply } = await createChatRig([rawReply(late())], { timeouts });
    expect((await reply()).content).toBe('late');
    const { provider } = await createChatRig([hangAfterHeaders(), textReply('again')]);
    const local = createTestChat(provider.url, {
      settings: { provider: 'llamacpp', model: 'm', baseUrl: provider.url },
      timeouts: { firstByteMs: 200 },
    });
    expect(await local.chat(HELLO, watching())).toMatchObject({
      kind: 'failed',
      error: { code: 'LLM_TIMEOUT', isRetryable: false },
    });
    expect(provider.requests).toHaveLength(1);
  });
});

describe('a stop', () => {
  const slow = tricklingReply('data: {"choices":[{"delta":{"content":"x"}}]}\n\n', 5);

  it.each<[string, ProviderReply]>([
    ['before the head', hangBeforeHeaders()],
    ['after the head', hangAfterHeaders()],
    ['in a stall', stallAfter(textReply('a long text that stops somewhere'), 3)],
    ['in a stream', slow],
    ['in a refusal', { ...statusReply(500, 'half'), ending: 'hang' }],
  ])('[N12] takes effect %s, and no request follows', async (_name, reply) => {
    const stop = new AbortController();
    const { provider, ask } = await createChatRig(() => {
      setTimeout(() => stop.abort(), 30);
      return reply;
    });
    expect(await ask({ signal: stop.signal })).toEqual({ kind: 'aborted' });
    expect(provider.requests).toHaveLength(1);
  });

  it('[N12] takes effect at the first text, during the delay of a retry, and before a request is sent', async () => {
    const stop = new AbortController();
    const stopAtOnce = { signal: stop.signal, onProgress: () => stop.abort() };
    const { provider, ask } = await createChatRig([textReply('words')]);
    expect(await ask(stopAtOnce)).toEqual({ kind: 'aborted' });
    expect(await ask(stopAtOnce)).toEqual({ kind: 'aborted' });
    expect(provider.requests).toHaveLength(1);

    const other = new AbortController();
    const busy = await createChatRig([statusReply(429, '', { 'retry-after': '50' })]);
    expect(await busy.ask({ signal: other.signal, onProgress: () => other.abort() })).toEqual({
      kind: 'aborted',
    });
    expect(busy.provider.requests).toHaveLength(1);
  });

  it('[N12] closes the connection, so that the provider stops too', async () => {
    const stop = new AbortController();
    const closed = new Promise<void>((resolve) => {
      const server = createServer((socket: Socket) => {
        socket.on('error', () => undefined).on('close', () => resolve());
        socket.on('data', () => stop.abort());
      });
      server.listen(0, '127.0.0.1', () => {
        const { port } = server.address() as { port: number };
        void createTestChat(`http://127.0.0.1:${port}`).chat(HELLO, {
          signal: stop.signal,
          onProgress: () => undefined,
        });
      });
      onTestFinished(() => void server.close());
    });
    await closed;
  });

  it('[N12] of the client aborts running requests and lets the process exit', async () => {
    const driver = driverPath('chat-driver');
    const { provider } = await createChatRig([textReply('kept alive'), stallAfter(textReply('and then'), 2)]);
    const child = spawn(process.execPath, [driver, provider.url], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    expect([output, child.exitCode]).toEqual(['reply aborted', 0]);
  });
});
