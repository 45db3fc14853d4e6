import { LLMock } from '@copilotkit/aimock';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestChat } from '../../testing/rigs/chat-rig.ts';
import { testConnection } from '../connection-test.ts';
import type { ChatOutcome, ChatProgress } from '../llm-adapter.ts';
import type { ChatMessage, WireTool } from '../wire.ts';

const TOOL: WireTool = {
  type: 'function',
  function: { name: 'fs_read', description: 'Reads a file.', parameters: { type: 'object' } },
};

interface Asked {
  readonly outcome: ChatOutcome;
  readonly progress: ChatProgress[];
}

type Arrange = (mock: LLMock) => void;

/** The outcome of one request to a third-party provider. */
async function asked(
  arrange: Arrange,
  messages: ChatMessage[] = [{ role: 'user', content: 'hello' }],
): Promise<Asked> {
  const progress: ChatProgress[] = [];
  const chat = createTestChat(`${(await started(arrange)).url}/v1`, { apiKey: 'mock-key' });
  const outcome = await chat.chat(
    { messages, tools: [TOOL] },
    { signal: new AbortController().signal, onProgress: (one) => progress.push(one) },
  );
  return { outcome, progress };
}

async function started(arrange: Arrange): Promise<LLMock> {
  const mock = new LLMock({ port: 0, logLevel: 'silent' });
  arrange(mock);
  await mock.start();
  onTestFinished(() => mock.stop());
  return mock;
}

describe('a third-party provider', () => {
  it('[N70] streams text and counts tokens', async () => {
    const usage = { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 };
    const { outcome, progress } = await asked((mock) =>
      mock.onMessage('hello', { content: 'Hello there, 世界 😀!', usage }, { chunkSize: 4 }),
    );
    expect(outcome).toMatchObject({
      kind: 'reply',
      isStreamed: true,
      reply: {
        content: 'Hello there, 世界 😀!',
        toolCalls: [],
        finishReason: 'stop',
        usage: { promptTokens: 12, completionTokens: 3, cachedTokens: 0 },
      },
    });
    expect(progress.length).toBeGreaterThan(2);
  });

  it('[N70] streams tool calls in fragments, and accepts their results', async () => {
    const args = JSON.stringify({ path: '@project/读我.md', lines: [1, 2] });
    const arrange: Arrange = (mock) => {
      mock.on({ userMessage: 'hello', hasToolResult: true }, { content: 'done' });
      mock.on(
        { userMessage: 'hello' },
        {
          toolCalls: [
            { id: 'call_a', name: 'fs_read', arguments: args },
            { name: 'fs_read', arguments: '{}' },
          ],
        },
        { chunkSize: 3 },
      );
    };
    const { outcome } = await asked(arrange);
    if (outcome.kind !== 'reply') throw new Error(JSON.stringify(outcome));
    const { toolCalls, finishReason } = outcome.reply;
    expect(finishReason).toBe('tool_calls');
    expect(toolCalls).toMatchObject([
      { id: 'call_a', name: 'fs_read', arguments: args, isCutOff: false },
      { name: 'fs_read', arguments: '{}' },
    ]);
    const second = await asked(arrange, [
      { role: 'user', content: 'hello' },
      {
        role: 'assistant',
        content: null,
        tool_calls: toolCalls.map(({ id, name, arguments: text }) => ({
          id,
          type: 'function',
          function: { name, arguments: text },
        })),
      },
      ...toolCalls.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: '{"ok":true}' })),
    ]);
    expect(second.outcome).toMatchObject({ kind: 'reply', reply: { content: 'done' } });
  });

  it('[N70] streams reasoning separately from the answer', async () => {
    const { outcome, progress } = await asked((mock) =>
      mock.onMessage(
        'hello',
        { content: 'So it is.', reasoning: 'Let me think about it.' },
        { chunkSize: 5 },
      ),
    );
    expect(outcome).toMatchObject({
      kind: 'reply',
      reply: { content: 'So it is.', reasoning: 'Let me think about it.' },
    });
    expect(new Set(progress.map(({ type }) => type))).toEqual(new Set(['reasoning', 'started', 'text']));
  });

  it('[N70] is retried after the delay it asks for', async () => {
    const { outcome, progress } = await asked((mock) => {
      mock.on(
        { userMessage: 'hello', sequenceIndex: 0 },
        { error: { message: 'Rate limit reached', type: 'rate_limit_error' }, status: 429, retryAfter: 0.05 },
      );
      mock.on({ userMessage: 'hello', sequenceIndex: 1 }, { content: 'at last' });
    });
    expect(outcome).toMatchObject({ kind: 'reply', reply: { content: 'at last' } });
    expect(progress[0]).toMatchObject({ type: 'retry', attempt: 2, error: { code: 'LLM_RATE_LIMITED' } });
  });

  it.each([
    ['truncates its stream', { truncateAfterChunks: 3, chunkSize: 2 }],
    ['hangs up in the middle', { disconnectAfterMs: 20, chunkSize: 2, latency: 15 }],
  ])('[N70] is retried when it %s', async (_name, issue) => {
    const { outcome, progress } = await asked((mock) => {
      mock.on({ userMessage: 'hello', sequenceIndex: 0 }, { content: 'never to be seen as a whole' }, issue);
      mock.on({ userMessage: 'hello', sequenceIndex: 1 }, { content: 'whole' });
    });
    expect(outcome).toMatchObject({ kind: 'reply', reply: { content: 'whole' } });
    expect(progress).toContainEqual(expect.objectContaining({ type: 'retry', attempt: 2 }));
  });

  it('[N70] is quoted when it rejects a request', async () => {
    const { outcome } = await asked((mock) =>
      mock.onMessage('hello', {
        error: { message: 'Incorrect API key provided', code: 'invalid_api_key' },
        status: 401,
      }),
    );
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'LLM_AUTH_FAILED' } });
    expect(JSON.stringify(outcome)).toContain('Incorrect API key provided');
  });

  it('[N70] passes the connection test', async () => {
    const mock = await started((mock) => {
      mock.on({ hasToolResult: true }, { content: 'The number is 7421.' });
      mock.on({ hasToolResult: false }, { toolCalls: [{ name: 'get_magic_number', arguments: '{}' }] });
    });
    const report = await testConnection(createTestChat(`${mock.url}/v1`));
    expect(report).toMatchObject({ ok: true, streams: true, tools: true });
  });
});
