import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256Of } from '../base/sha256.ts';
import {
  type BodySettings,
  bytesOfMessage,
  bytesOfTools,
  hashedText,
  hashRequest,
  serialiseRequest,
} from './serialise.ts';
import type { ChatMessage, WireTool } from './wire.ts';

const SETTINGS: BodySettings = {
  model: 'm',
  maxTokensField: 'max_tokens',
  maxOutputTokens: undefined,
  temperature: undefined,
};
const TOOLS: WireTool[] = [
  { type: 'function', function: { name: 'fs_read', description: 'Reads.', parameters: { type: 'object' } } },
];

const text = fc.string({
  unit: fc.constantFrom('a', '"', '\\', '\n', 'é', '😀', '\ud83d', '\u0000', '\\ud83d'),
});
const message: fc.Arbitrary<ChatMessage> = fc.oneof(
  fc.record({ role: fc.constant('user' as const), content: text }),
  fc.record({ role: fc.constant('assistant' as const), content: text, reasoning_content: text, own: text }),
  fc.record({ role: fc.constant('tool' as const), tool_call_id: text, content: text }),
);

describe('serialising a request', () => {
  it('[N1] extends the previous body byte for byte', () => {
    fc.assert(
      fc.property(
        fc.array(message, { minLength: 1 }),
        fc.array(message, { minLength: 1 }),
        fc.constantFrom([], TOOLS),
        (before, more, tools) => {
          const short = serialiseRequest({ messages: before, tools }, SETTINGS, 'counted');
          const long = serialiseRequest({ messages: [...before, ...more], tools }, SETTINGS, 'counted');
          expect(short.subarray(-2).toString()).toBe(']}');
          expect(long.subarray(0, short.length - 2).equals(short.subarray(0, -2))).toBe(true);
        },
      ),
    );
  });

  it('[N1] has the hash of its JSON, whatever was hashed before', () => {
    const change = fc.oneof(
      fc.record({ kind: fc.constant('add' as const), message }),
      fc.record({ kind: fc.constant('cut' as const), count: fc.nat(4) }),
      fc.record({ kind: fc.constant('replace' as const), at: fc.nat(6), message }),
      fc.record({ kind: fc.constant('tools' as const), tools: fc.constantFrom([], TOOLS, [...TOOLS]) }),
    );
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
        // The same array is changed again and again, as a careless caller would.
        const messages: ChatMessage[] = [];
        let tools: readonly WireTool[] = TOOLS;
        for (const next of changes) {
          if (next.kind === 'add') messages.push(next.message);
          else if (next.kind === 'cut') messages.splice(Math.max(0, messages.length - next.count));
          else if (next.kind === 'replace' && next.at < messages.length) messages[next.at] = next.message;
          else if (next.kind === 'tools') tools = next.tools;
          const request = { messages, tools };
          expect(hashRequest(request)).toBe(sha256Of(hashedText(request)));
        }
      }),
    );
  });

  it('[N1] gives the JSON of the request, and the size of each part', () => {
    fc.assert(
      fc.property(fc.array(message), (messages) => {
        const body = serialiseRequest({ messages, tools: TOOLS }, SETTINGS, 'counted');
        const wellFormed = JSON.parse(JSON.stringify(messages), (_, value: unknown) =>
          typeof value === 'string' ? Buffer.from(value).toString() : value,
        ) as unknown;
        expect(JSON.parse(body.toString())).toEqual({
          model: 'm',
          stream: true,
          stream_options: { include_usage: true },
          tools: TOOLS,
          tool_choice: 'auto',
          messages: wellFormed,
        });
        const bare = serialiseRequest({ messages: [], tools: [] }, SETTINGS, 'counted').length;
        const keys = ',"tools":,"tool_choice":"auto"'.length;
        const sum = messages.reduce((bytes, one) => bytes + bytesOfMessage(one), bytesOfTools(TOOLS));
        expect(body.length).toBe(bare + keys + sum - (messages.length > 0 ? 1 : 0));
      }),
    );
  });

  it('[N1] omits tools, limits and temperature if there are none', () => {
    const bare = serialiseRequest({ messages: [], tools: [] }, SETTINGS, 'whole').toString();
    expect(bare).toBe('{"model":"m","stream":false,"messages":[]}');
    const full = {
      ...SETTINGS,
      maxTokensField: 'max_completion_tokens',
      maxOutputTokens: 9,
      temperature: 0,
    } as const;
    expect(serialiseRequest({ messages: [], tools: [] }, full, 'plain').toString()).toBe(
      '{"model":"m","stream":true,"max_completion_tokens":9,"temperature":0,"messages":[]}',
    );
  });

  it('[N1] sends no lone surrogates, which strict parsers reject', () => {
    const half: ChatMessage = { role: 'user', content: 'cut \ud83d here, \\ud83d there' };
    const body = serialiseRequest({ messages: [half], tools: [] }, SETTINGS, 'counted').toString();
    expect(body).toContain('"cut \ufffd here, \\\\ud83d there"');
  });
});
