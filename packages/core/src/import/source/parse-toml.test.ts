import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseToml } from './parse-toml.ts';

describe('TOML', () => {
  it('parses tables, lists of tables, all strings, numbers and comments', () => {
    const text = `# top
a.b = 1_000
[x] # a table
s = "q\\"\\u00e9\\n"
raw = 'C:\\dir'
long = """
two \\
  lines
"""
rawLong = '''
it's'''
list = [1, 2.5, # one
  "x", [true, false],
]
inline = { k = "v", "l m" = 2026-01-31 }
[[x.items]]
code = "A"
[[x.items]]
code = "B"
[x.items.more]
n = -1
`;
    expect(parseToml(text)).toEqual({
      ok: true,
      value: {
        a: { b: 1000 },
        x: {
          s: 'q"é\n',
          raw: 'C:\\dir',
          long: 'two lines\n',
          rawLong: "it's",
          list: [1, 2.5, 'x', [true, false]],
          inline: { k: 'v', 'l m': '2026-01-31' },
          items: [{ code: 'A' }, { code: 'B', more: { n: -1 } }],
        },
      },
    });
  });

  const bad: [text: string, line: number][] = [
    ['a = 1\na = 2\n', 2],
    ['[a\n', 1],
    ['a = \n', 1],
    ['a = 1\n[a]\n', 2],
    ['__proto__ = 1\n', 1],
    [`a = ${'['.repeat(100)}`, 1],
    ['a = nope\n', 1],
  ];
  it.each(bad)('[Z2] %j is an error with its line', (text, line) => {
    expect(parseToml(text)).toMatchObject({ ok: false, line });
  });

  it('[Z2] no text throws', () => {
    const piece = fc.constantFrom(
      '[',
      ']',
      '{',
      '}',
      '"',
      "'",
      '=',
      '.',
      ',',
      '\n',
      'a',
      '1',
      '#',
      '\\',
      ' ',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 60 }),
        (pieces) => typeof parseToml(pieces.join('')).ok === 'boolean',
      ),
    );
  });
});
