import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { parsePlainYaml } from './plain-yaml.ts';

/** Result of the full parser; undefined for errors. */
function parseFully(text: string): unknown {
  const document = parseDocument(text, { version: '1.2', schema: 'core', uniqueKeys: true });
  return document.errors.length > 0 ? undefined : document.toJS();
}

function expectSame(text: string): boolean {
  const plain = parsePlainYaml(text);
  if (plain !== undefined) expect({ text, value: plain }).toEqual({ text, value: parseFully(text) });
  return plain !== undefined;
}

const FRONTMATTER = `schemaVersion: "1.1"
nodeId: step-01
type: step # what it is
runId: 0190e3d2-7cde-7000-8000-0123456789ab
title: Do the first thing, then rest
agentId: ''
inputs: [] # none
outputs:
  - artifacts/{storyKey}.md # one
  - "artifacts/two.md"
setsVariables:
- topic
- audience
variables: {}
empty: # nothing yet
count: 12 # a dozen
done: false
transitions:
  # a comment
  - to: step-02
    label: next
    isDefault: true

  - to: end-99
    label: stop
references:
  "{installed_path}/template.md": "@pkg/workflows/a/template.md"
  './step 2.md': '@pkg/steps/two.md' # another
nested:
  deeper:
    list: [a, b.md]
    headings: [Main points, "Open: points", 'What exists', 3, 目标]
    from: { from: assets/a b.md, minWords: 60 }
  name: 你好
`;

describe('plain YAML', () => {
  it('[B1] covers typical frontmatter', () => {
    expect(expectSame(FRONTMATTER)).toBe(true);
    expect(expectSame(FRONTMATTER.replaceAll('\n', '\r\n'))).toBe(true);
  });

  it.each([
    'a: yes',
    'a: True',
    'a: ~',
    'a: 010',
    'a: 1.5',
    'a: -1',
    'a: 0x1F',
    'a: 0o17',
    'a: 1e3',
    'a: 1e3x',
    'a: 12 apples',
    'a: 1_000',
    'a: 1:30',
    'a: 3.',
    'a: 2026-01-31T10:00:00',
    'a: 2026-01-31T10:00:00Z',
    'a: 2026-01-31',
    'a: b: c',
    'a: b # c',
    'a: b\n  c',
    'a: |\n  b',
    'a: &x b',
    'a: *x',
    'a: !t b',
    'a: "x\\n"',
    'a: "x" y',
    "a: 'it''s'",
    'a: {b: c}',
    'a: [1, 2]',
    'a: [01, 1.5]',
    'a: [b c,d  e, f - g]',
    'a: ["b, c", "d"]',
    "a: ['b', 'it''s']",
    'a: ["b\\n"]',
    'a: ["b" c]',
    'a: ["{{", "]"]',
    'a: [b: c]',
    'a: [true, No, null, Null]',
    'a: {b: c, b: d}',
    'a: {b: "c, d"}',
    'a: {b:c}',
    'a: {b, c: d}',
    'a: {b: }',
    'a: {"b": c}',
    'a: {b: c d, e: 1, f: true}',
    'a: {true: c}',
    'a: {__proto__: c}',
    'a: {b: {c: d}}',
    'a: {b: [c]}',
    'a: {b: c} # d',
    'a: [b, [c]]',
    'a: [b,]',
    'a:\n  - - b',
    'a:\n  -\n    b',
    'a:\n  - b\n  c: d',
    'a:\n b: 1\n  c: 2',
    'a: 1\na: 2',
    '"a": 1',
    '"a":1',
    '"a" : 1',
    '"a\\n": 1',
    "'it''s': 1",
    '"": 1',
    '"true": 1',
    '"12": 1',
    '"<<": {}',
    '"__proto__": 1',
    '"a": 1\na: 2',
    '"a": "b": c',
    'b:\n  - "a": 1\n    c: 2',
    `"${'k'.repeat(1_030)}": 1`,
    'a : 1',
    '- a',
    ' a: 1',
    'a:\tb',
    'a: b\rc: d',
    '__proto__: x',
    'constructor: x',
    'true: x',
    '? a\n: b',
    '',
    'hello',
    '...',
    'a: b\n---\nc: d',
    'a: http://x.y/z',
    'a: b:c',
    'a: "# no comment"',
    'a: "x # y" # z',
    "a: 'x # y' # z",
    'a: "x" #z',
    'a: x#y # z # w',
    'a: #x',
    'a: # x\n  - y',
    'a: [b] # c',
    'a: [b # c]',
    'a: {} # c',
    'a:\n  - # x\n  - b # c',
    'a: "x\\" # y"',
    'a: "x # y',
    'a:    spaced   out   ',
    'a:\n\n\n  - x\n\n',
  ])('[B1] parses %j like the full parser, or leaves it to it', (text) => {
    expectSame(text);
  });

  it('[B1] never differs from the full parser, on any text of YAML fragments', () => {
    const piece = fc.constantFrom(
      'a',
      'b',
      'key',
      'true',
      'null',
      'No',
      '0',
      '12',
      '-1',
      '1.5',
      ':',
      ': ',
      ':\n',
      '\n',
      '\n\n',
      '\n  ',
      '\n    ',
      '\n- ',
      '\n  - ',
      '- ',
      '-',
      ' ',
      '  ',
      '"',
      "'",
      '"x"',
      "'y'",
      '[',
      ']',
      '[]',
      '{}',
      '{',
      '}',
      ', ',
      '#',
      ' # c',
      '|',
      '>',
      '&a ',
      '*a',
      '!t ',
      '?',
      '%',
      '@',
      '`',
      '~',
      '...',
      '---',
      '\r\n',
      '\t',
      '你',
      '.',
      '/',
      '<<',
      '__proto__',
      '=',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
        expectSame(pieces.join(''));
      }),
      { numRuns: 3_000 },
    );
  });

  it('[B1] never differs from the full parser, on lists and maps on one line', () => {
    const item = fc.constantFrom(
      ...[
        'a',
        'b c',
        'd-e',
        'true',
        'No',
        '0',
        '12',
        '-1',
        '1.5',
        '你 好',
        '"x"',
        "'y z'",
        '"p, q"',
        '"',
        '',
      ],
      ...[' ', ': ', ':', '- ', '#', ' # c', '[a]', '{b: c}', '}', ']', '.', '/', '\u3000', '\\'],
    );
    const part = fc
      .tuple(fc.constantFrom('', '', 'k: ', 'l: ', ' m:  '), fc.array(item, { maxLength: 3 }))
      .map(([key, items]) => key + items.join(''));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), fc.boolean(), (parts, isMap) => {
        expectSame(isMap ? `a: {${parts.join(', ')}}` : `a: [${parts.join(', ')}]`);
      }),
      { numRuns: 3_000 },
    );
  });

  it('[B1] never differs from the full parser, on frontmatter with changed characters', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(fc.nat({ max: FRONTMATTER.length }), fc.nat({ max: 4 }), fc.string({ maxLength: 3 })),
          { minLength: 1, maxLength: 3 },
        ),
        (edits) => {
          let text = FRONTMATTER;
          for (const [at, removed, inserted] of edits)
            text = text.slice(0, at) + inserted + text.slice(at + removed);
          expectSame(text);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('[B1] parses any plain structure', () => {
    const name = fc
      .stringMatching(/^[a-z][a-z0-9_-]{0,6}$/)
      .filter((text) => !['true', 'false', 'null'].includes(text));
    const scalar = fc.oneof(name, fc.nat(), fc.boolean(), fc.constant(null));
    const { tree } = fc.letrec<{ tree: unknown; map: unknown; list: unknown }>((tie) => ({
      tree: fc.oneof({ maxDepth: 4 }, scalar, tie('map'), tie('list')),
      map: fc.dictionary(name, tie('tree'), { minKeys: 1, maxKeys: 4 }),
      list: fc.array(fc.oneof(scalar, tie('map')), { minLength: 1, maxLength: 4 }),
    }));
    fc.assert(
      fc.property(fc.dictionary(name, tree, { minKeys: 1, maxKeys: 5 }), (value) => {
        const text = write(value, 0);
        expect(parsePlainYaml(text)).toEqual(parseFully(text));
        expect(parsePlainYaml(text)).toEqual(value);
      }),
    );
  });
});

/** Block style, two spaces per level. */
function write(value: unknown, depth: number): string {
  const pad = '  '.repeat(depth);
  if (Array.isArray(value)) {
    return value
      .map((item) => {
        if (typeof item !== 'object' || item === null) return `${pad}- ${String(item)}\n`;
        return `${pad}- ${write(item, depth + 1).trimStart()}`;
      })
      .join('');
  }
  return Object.entries(value as object)
    .map(([key, child]: [string, unknown]) =>
      typeof child === 'object' && child !== null
        ? `${pad}${key}:\n${write(child, depth + 1)}`
        : `${pad}${key}: ${String(child)}\n`,
    )
    .join('');
}
