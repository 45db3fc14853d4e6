import { describe, expect, it } from 'vitest';
import { toHostScript } from './builtin-model.ts';
import {
  parseOutput,
  partialReply,
  toChatHistory,
  toGrammarSchema,
  toPlainGrammar,
} from './host-functions.ts';
import { contextFor, RECOMMENDED_MODELS, recommendModel } from './recommended-models.ts';

const TOOL = {
  function: { name: 'paint', description: 'Paints.', parameters: { type: 'object', properties: {} } },
};

describe('the process of a built-in model', () => {
  it('[N70] shows the text of a partial reply, wherever it is cut', () => {
    const output = JSON.stringify({ reply: 'Grüß "dich"\n你好 😀' });
    let shown = '';
    for (let end = 0; end <= output.length; end++) {
      const text = partialReply(output.slice(0, end));
      if (text === undefined) continue;
      expect(text.startsWith(shown)).toBe(true);
      shown = text;
    }
    expect(shown).toBe('Grüß "dich"\n你好 😀');
    expect(partialReply('{"calls":[')).toBeUndefined();
  });

  it('[N70] parses calls and text of its output, and nothing of incomplete output', () => {
    expect(parseOutput('{"calls":[{"tool":"paint","arguments":{"a":1}}]}')).toEqual({
      text: '',
      calls: [{ name: 'paint', arguments: '{"a":1}' }],
    });
    expect(parseOutput('{"reply":"hi"}')).toEqual({ text: 'hi', calls: [] });
    expect(parseOutput('{"reply":"h')).toBeUndefined();
  });

  it('[N70] converts earlier messages and calls to the form of its output', () => {
    const calls = [{ function: { name: 'paint', arguments: '{"a":1}' } }];
    const history = toChatHistory(
      [
        { role: 'system', content: 'Rules.' },
        { role: 'user', content: 'Go.' },
        { role: 'assistant', content: null, tool_calls: calls },
        { role: 'tool', content: '{"ok":true}' },
        { role: 'assistant', content: 'Done.' },
      ],
      [TOOL],
    );
    expect(history.slice(1)).toEqual([
      { type: 'user', text: 'Go.' },
      { type: 'model', response: ['{"calls":[{"tool":"paint","arguments":{"a":1}}]}'] },
      { type: 'user', text: 'TOOL_RESULT\n{"ok":true}' },
      { type: 'model', response: ['{"reply":"Done."}'] },
      { type: 'model', response: [] },
    ]);
    expect(history[0]).toMatchObject({ text: expect.stringContaining('- paint: Paints.') as string });
  });

  it('[N70] constrains arguments to what grammars support', () => {
    const schema = {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1 },
        kind: { enum: ['a', 'b'] },
        lines: { type: 'array', items: { type: 'integer' } },
        value: { anyOf: [{ const: 1 }, { type: 'object' }] },
        any: {},
      },
      required: ['path'],
      additionalProperties: false,
    };
    expect(toPlainGrammar(schema)).toMatchObject({
      properties: {
        path: { type: 'string' },
        kind: { enum: ['a', 'b'] },
        lines: { type: 'array', items: { type: 'integer' } },
        value: { oneOf: [{ const: 1 }, { type: 'object' }] },
        any: { type: 'string' },
      },
      required: ['path'],
    });
    expect(JSON.stringify(toGrammarSchema([TOOL]))).toContain('"const":"paint"');
  });

  it('[N70] is one file of plain JavaScript', () => {
    const script = toHostScript();
    expect(script).toContain('runHost');
    expect(script).not.toMatch(/__vite_ssr|: string\b/);
  });
});

describe('recommended models', () => {
  it('[N70] are chosen by the memory of the machine, and have size and licence', () => {
    const GIB = 1024 ** 3;
    expect([4, 8, 12, 64].map((memory) => recommendModel(memory * GIB).name)).toEqual([
      'qwen3-1.7b',
      'qwen3-1.7b',
      'qwen3-4b',
      'qwen3-8b',
    ]);
    expect(RECOMMENDED_MODELS.every(({ licence, bytes }) => licence !== '' && bytes > 0)).toBe(true);
    expect([contextFor(2e9, 6 * GIB), contextFor(2e9, 64 * GIB)]).toEqual([
      expect.any(Number) as number,
      32_768,
    ]);
    expect(contextFor(9e9, 6 * GIB)).toBe(8_192);
  });
});
