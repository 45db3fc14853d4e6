import { describe, expect, it } from 'vitest';
import { startFakeProvider } from '../testing/models/fake-provider.ts';
import {
  hangBeforeHeaders,
  type ProviderReply,
  statusReply,
  streamReply,
  textReply,
  toolCallReply,
  wholeReply,
} from '../testing/models/provider-replies.ts';
import { createChatRig, createTestChat } from '../testing/rigs/chat-rig.ts';
import { testConnection } from './connection-test.ts';

const SILENCE = hangBeforeHeaders();
const CALL = toolCallReply([{ name: 'get_magic_number', arguments: {} }]);

async function tested(replies: ProviderReply[]) {
  // Short only where the timeout is tested; elsewhere a busy machine must not cause a timeout.
  const patience = replies.includes(SILENCE) ? 200 : 30_000;
  const timeouts = { firstByteMs: patience, idleMs: patience };
  const { chat, provider } = await createChatRig(replies, { timeouts, retry: { tries: 1 } });
  const report = await testConnection(chat);
  expect(provider.violations).toEqual([]);
  return { report, provider, steps: report.steps.map(({ name, ok }) => `${name} ${ok}`) };
}

describe('the connection test', () => {
  it('[N70] runs a real conversation with a tool call', async () => {
    const both = ['red', 'blue'].map((colour) => ({ name: 'get_number_of', arguments: { colour } }));
    const { report, provider, steps } = await tested([CALL, textReply('It is 7,421.'), toolCallReply(both)]);
    expect(report).toMatchObject({ ok: true, model: 'm', streams: true, tools: true });
    expect(report.latencyMs).toBeGreaterThanOrEqual(0);
    expect(steps).toEqual(['reached true', 'reply true', 'tool call true', 'second turn true']);
    expect(provider.requests[1]?.body.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
    ]);
  });

  it.each([
    ['one call', toolCallReply([{ name: 'get_number_of', arguments: { colour: 'red' } }]), false, true],
    ['no JSON', toolCallReply([{ name: 'get_number_of', arguments: 'red' }]), false, false],
    ['text', textReply('Red is 1.'), false, false],
    ['a refusal', statusReply(400, 'one call at a time'), false, false],
  ])('[N70] reports missing abilities: %s', async (_, reply, parallelCalls, jsonArguments) => {
    const { report } = await tested([CALL, textReply('7421'), reply]);
    expect(report).toMatchObject({ ok: true, abilities: { parallelCalls, jsonArguments } });
  });

  it('[N70] reports whether our prompts fit the context', async () => {
    const { provider } = await createChatRig([CALL, textReply('7421'), textReply('x')]);
    const settings = { provider: 'ollama', model: 'm', baseUrl: provider.url, contextTokens: 4_096 } as const;
    const report = await testConnection(createTestChat(provider.url, { settings }));
    expect(report.context).toEqual({ tokens: 4_096, neededTokens: 8_000, fits: false });
  });

  it('[N70] accepts whole replies, several calls and calls without an id', async () => {
    const twice = [
      { id: '', name: 'get_magic_number', arguments: {} },
      { id: '', name: 'get_magic_number', arguments: {} },
    ];
    const { report } = await tested([
      wholeReply({ toolCalls: twice }),
      wholeReply({ text: '7421' }),
      wholeReply({ text: 'x' }),
    ]);
    expect(report).toMatchObject({ ok: true, streams: false, tools: true });
  });

  it.each<[string, ProviderReply[], string[], string]>([
    ['a wrong key', [statusReply(401, 'no')], ['reached true', 'reply false'], 'refused the API key'],
    [
      'an unknown model',
      [statusReply(404, 'no such model')],
      ['reached true', 'reply false'],
      'has no model',
    ],
    ['a wrong address', [statusReply(404, 'no')], ['reached true', 'reply false'], 'has nothing at'],
    [
      'a page',
      [{ headers: { 'content-type': 'text/html' }, chunks: ['<html>'] }],
      ['reached true', 'reply false'],
      '/v1',
    ],
    [
      'an error in the stream',
      [streamReply({ text: 'x', finishReason: 'error' })],
      ['reached true', 'reply false'],
      'interrupted the reply',
    ],
    ['silence', [SILENCE], ['reached false'], 'sent nothing'],
    [
      'no tool call',
      [textReply('I cannot.')],
      ['reached true', 'reply true', 'tool call false'],
      'supports tool calls',
    ],
    [
      'a wrong tool call',
      [toolCallReply([{ name: 'other', arguments: {} }])],
      ['reached true', 'reply true', 'tool call false'],
      'invalid tool call',
    ],
    [
      'a wrong answer',
      [CALL, textReply('It is 5.')],
      ['reached true', 'reply true', 'tool call true', 'second turn false'],
      'did not use',
    ],
    [
      'a refused second turn',
      [CALL, statusReply(400, 'bad roles')],
      ['reached true', 'reply true', 'tool call true', 'second turn false'],
      'bad roles',
    ],
  ])('[N70] reports the step that fails: %s', async (_name, replies, expected, sentence) => {
    const { report, steps } = await tested(replies);
    expect(report.ok).toBe(false);
    expect(steps).toEqual(expected);
    expect(report.steps.at(-1)?.detail.replace('wants an API key', 'refused the API key')).toContain(
      sentence,
    );
  });

  it('[N70] reports a server that is not listening, and that the test was stopped', async () => {
    const provider = await startFakeProvider([]);
    await provider.close();
    const report = await testConnection(createTestChat(provider.url, { retry: { tries: 1 } }));
    expect(report.steps).toMatchObject([{ name: 'reached', ok: false }]);
    expect(report.steps[0]?.detail).toContain('is not listening');
    const stopped = await testConnection(createTestChat(provider.url), AbortSignal.abort());
    expect(stopped.steps).toMatchObject([{ ok: false, detail: 'The test was stopped.' }]);
  });
});
