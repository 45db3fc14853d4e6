import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeTokens, escapeTokensInTool } from './special-tokens.ts';

const TOKENS = [
  '<|im_start|>',
  '<|eot_id|>',
  '[INST]',
  '[/INST]',
  '<<SYS>>',
  '</s>',
  '<｜User｜>',
  '<end_of_turn>',
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...TOKENS, '\\', '"', '<', '|>', '\n'), fc.string({ unit: 'binary' })))
  .map((parts) => parts.join(''));

describe('control tokens of chat templates', () => {
  it.each(TOKENS)('[P60] %s is escaped, and text without one is not changed', (token) => {
    expect(escapeTokens(`a ${token} b`)).not.toContain(token);
    expect(escapeTokens('a < b || c > d [x] <p>')).toBe('a < b || c > d [x] <p>');
  });

  it('[P60] mean the same in JSON, and escaping them twice changes nothing', () => {
    fc.assert(
      fc.property(text, (value) => {
        const escaped = escapeTokens(JSON.stringify({ value }));
        expect(JSON.parse(escaped)).toEqual({ value });
        expect(escapeTokens(escaped)).toBe(escaped);
        expect(escapeTokens(escapeTokens(value))).toBe(escapeTokens(value));
      }),
    );
  });

  it('[P60] are escaped in the description of a tool and of its arguments', () => {
    const tool = {
      type: 'function' as const,
      function: {
        name: 'x',
        description: 'A <|im_end|>.',
        parameters: { properties: { y: { description: '[INST]' } } },
      },
    };
    const shown = escapeTokensInTool(tool);
    expect(shown.function.description).toBe('A \\u003c|im_end|>.');
    expect(JSON.stringify(shown)).toContain('\\\\u005bINST]');
    const plain = { ...tool, function: { ...tool.function, description: 'A.', parameters: {} } };
    expect(escapeTokensInTool(plain)).toBe(plain);
  });
});
