import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestChat } from '../rigs/chat-rig.ts';
import { startFakeProvider, violationsOf } from './fake-provider.ts';
import { textReply } from './provider-replies.ts';

const SYSTEM = { role: 'system', content: 's' };
const USER = { role: 'user', content: 'u' };
const call = (id: string, name = 'fs_read', text = '{}') => ({
  id,
  type: 'function',
  function: { name, arguments: text },
});
const assistant = (...calls: unknown[]) => ({ role: 'assistant', content: null, tool_calls: calls });
const tool = (id: string) => ({ role: 'tool', tool_call_id: id, content: '{}' });

describe('the strictest provider', () => {
  it('accepts a conversation that follows the protocol', () => {
    const messages = [
      SYSTEM,
      USER,
      assistant(call('a'), call('b')),
      tool('a'),
      tool('b'),
      assistant(call('a')),
      tool('a'),
    ];
    const tools = [{ type: 'function', function: { name: 'fs_read', description: '', parameters: {} } }];
    expect(violationsOf({ model: 'm', messages, tools })).toEqual([]);
    expect(violationsOf({ model: 'm', messages: [USER, { role: 'assistant', content: 'a' }, USER] })).toEqual(
      [],
    );
  });

  it.each<[string, unknown]>([
    ['no messages', { messages: [] }],
    ['no model', { model: '', messages: [USER] }],
    ['an empty list of tools', { messages: [USER], tools: [] }],
    ['a tool name with a dot', { messages: [USER], tools: [{ function: { name: 'fs.read' } }] }],
    [
      'two tools with one name',
      { messages: [USER], tools: [{ function: { name: 'a' } }, { function: { name: 'a' } }] },
    ],
    ['a second system message', { messages: [SYSTEM, SYSTEM, USER] }],
    ['two adjacent user messages', { messages: [USER, USER] }],
    [
      'two adjacent assistant messages',
      { messages: [USER, { role: 'assistant', content: 'a' }, { role: 'assistant', content: 'a' }, USER] },
    ],
    ['an assistant at the end', { messages: [USER, { role: 'assistant', content: 'a' }] }],
    ['an unknown role', { messages: [{ role: 'developer', content: '' }, USER] }],
    ['content that is not text', { messages: [{ role: 'user', content: ['x'] }] }],
    ['null content', { messages: [USER, { role: 'assistant', content: null }, USER] }],
    ['an empty list of calls', { messages: [USER, assistant(), USER] }],
    ['a call without an id', { messages: [USER, assistant(call('')), tool('')] }],
    ['two calls with one id', { messages: [USER, assistant(call('a'), call('a')), tool('a'), tool('a')] }],
    ['a call with an invalid name', { messages: [USER, assistant(call('a', 'fs.read')), tool('a')] }],
    ['arguments that are not JSON', { messages: [USER, assistant(call('a', 'x', '{')), tool('a')] }],
    ['arguments that are not an object', { messages: [USER, assistant(call('a', 'x', '[]')), tool('a')] }],
    ['a call without a result', { messages: [USER, assistant(call('a')), USER] }],
    ['a call without a result at the end', { messages: [USER, assistant(call('a'), call('b')), tool('a')] }],
    ['results in another order', { messages: [USER, assistant(call('a'), call('b')), tool('b'), tool('a')] }],
    ['two results for one call', { messages: [USER, assistant(call('a')), tool('a'), tool('a')] }],
    ['a result without a call', { messages: [USER, tool('a')] }],
  ])('rejects %s', (_name, body) => {
    expect(violationsOf({ model: 'm', ...(body as object) })).not.toEqual([]);
  });

  it('responds to a violation with status 400 and records it, also when the script has ended', async () => {
    const provider = await startFakeProvider([textReply('ok')]);
    onTestFinished(() => provider.close());
    const chat = createTestChat(provider.url);
    const ask = (content: string[]) =>
      chat.chat(
        { messages: content.map((content) => ({ role: 'user', content })), tools: [] },
        { signal: new AbortController().signal, onProgress: () => undefined },
      );
    expect(await ask(['a'])).toMatchObject({ kind: 'reply' });
    expect(await ask(['a', 'b'])).toMatchObject({ kind: 'failed', error: { details: { status: 400 } } });
    expect(await ask(['a'])).toMatchObject({ kind: 'failed' });
    expect(provider.violations).toEqual([
      'request 1: two user messages are adjacent',
      'request 2: the script is over',
    ]);
  });
});
