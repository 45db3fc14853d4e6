import { describe, expect, it } from 'vitest';
import { highlightCode } from './highlight-code.ts';

const colored = (code: string, language: string) =>
  highlightCode(code, language)
    .filter(({ color }) => color !== undefined)
    .map(({ text, color }) => `${color} ${text}`);

describe('highlighted code', () => {
  it.each([
    ['ts', 'const a = "x"; // b', ['keyword const', 'string "x"', 'comment // b']],
    ['json', '{"a": [1, true, "b"]}', ['key "a"', 'number 1', 'number true', 'string "b"']],
    ['yml', 'name: x # y\nsize: 3', ['key name', 'comment # y', 'key size', 'number 3']],
    ['py', 'def f():  # x\n  return None', ['keyword def', 'comment # x', 'keyword return', 'number None']],
    ['diff', '@@ 1 @@\n-a\n+b\n c', ['comment @@ 1 @@\n', 'removed -a\n', 'added +b\n']],
    ['html', '<p class="a">x</p>', ['key <p', 'string "a"', 'key </p']],
    ['ts', 'a /* b\nc */ let `d\ne`', ['comment /* b\nc */', 'keyword let', 'string `d\ne`']],
    ['ts', "const url = 'https://a.example/b';", ['keyword const', "string 'https://a.example/b'"]],
  ])('of %s: %s', (language, code, pieces) => {
    expect(colored(code, language)).toEqual(pieces);
  });

  it.each(['ts', 'json', 'yaml', 'python', 'bash', 'sql', 'html', 'css', 'diff', 'no-such', 'text'])(
    'is unchanged as text: %s',
    (language) => {
      const code = 'a "b\n\'c` /* d # e\n\t<!-- f\n+g: 0x1F -- "\\"h" 1_000.5e3 ü 中文 \u{1f600}';
      expect(
        highlightCode(code, language)
          .map(({ text }) => text)
          .join(''),
      ).toBe(code);
    },
  );

  it('takes time in proportion to its length, whatever it contains', () => {
    for (const code of [
      '"'.repeat(50_000),
      'a: '.repeat(16_000),
      ' '.repeat(50_000),
      '/*'.repeat(25_000),
      '`'.repeat(50_000),
      'a-'.repeat(400).concat('\n').repeat(60),
    ])
      for (const language of ['ts', 'yaml', 'html', 'python'])
        expect(highlightCode(code, language).length).toBeGreaterThan(0);
  });
});
