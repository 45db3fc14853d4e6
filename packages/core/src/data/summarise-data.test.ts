import type { DataFormat } from '@crewagent/protocol/commands';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { summariseData } from './summarise-data.ts';

/** The summary, or the error. */
async function about(format: DataFormat, text: string, isWhole = true): Promise<string> {
  const found = await summariseData(format, { text, isWhole });
  if (found.kind === 'broken') {
    const { line, column } = found.location;
    return `${[line, column].filter(Boolean).join(':')} ${found.reason}`;
  }
  return found.kind === 'summary'
    ? `${found.summary}${found.note ? ` (${found.note})` : ''}`
    : `text: ${found.note}`;
}

type Case = readonly [text: string, summary: string];

describe('JSON', () => {
  it.each<Case>([
    ['{"a":1,"__proto__":{"b":[]},"c":"x"}', 'an object with 3 keys: a, __proto__, c'],
    ['{"a":1,"a":2}', 'an object with 1 key: a'],
    ['{"x\\u202ey":1,"b, c":2,"":3,"\\n":4}', 'an object with 4 keys: "x\\u202ey", "b, c", "", "\\n"'],
    ['{}', 'an object without keys'],
    ['[{"id":1,"in":{"no":1}},{"zz":1}]', 'an array of 2 items; keys of the first: id, in'],
    ['[{}]', 'an array of 1 item; the first is an object without keys'],
    ['[[1],2]', 'an array of 2 items; the first is an array'],
    ['[]', 'an array of 0 items'],
    [' "x" ', 'a string'],
    ['-1.5e+3', 'a number'],
    ['true', 'true or false'],
    ['null', 'null'],
  ])('[D9] %s', async (text, summary) => {
    expect(await about('json', text)).toBe(summary);
  });

  it('[D9] handles any depth', async () => {
    const deep = 200_000;
    expect(await about('json', `${'['.repeat(deep)}${']'.repeat(deep)}`)).toBe(
      'an array of 1 item; the first is an array',
    );
  });

  it.each<Case>([
    ['', '1:1 it ends too early'],
    ['{\n "a": 1,\n}', '3:1 this is not expected here'],
    ['{"a" 1}', '1:6 this is not expected here'],
    ['[1,,2]', '1:4 this is not expected here'],
    ['[1}', '1:3 this is not expected here'],
    ['[1', '1:3 it ends too early'],
    ['{"a":"b}', '1:9 it ends too early'],
    ['["a\nb"]', '1:4 this is not expected here'],
    ['["\\x"]', '1:4 this is not expected here'],
    ['[01]', '1:3 this is not expected here'],
    ['{} x', '1:4 this is not expected here'],
    ["{'a':1}", '1:2 this is not expected here'],
  ])('[D20] rejects %j with line and column', async (text, reason) => {
    expect(await about('json', text)).toBe(reason);
  });

  it('[D20] rejects exactly the documents that JSON.parse rejects', async () => {
    const pieces = fc.constantFrom(
      ...[
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"a"',
        '"',
        '\\',
        '\\u00e9',
        '\\u0',
        '1',
        '-',
        '.',
        'e',
        '0',
        'true',
        'nul',
        ' ',
        '\n',
      ],
    );
    const text = fc.oneof(
      fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join('')),
      fc.json(),
      fc.tuple(fc.json(), fc.nat(40)).map(([json, at]) => json.slice(0, at)),
      fc.string({ unit: 'binary' }),
    );
    await fc.assert(
      fc.asyncProperty(text, async (json) => {
        const found = await summariseData('json', { text: json, isWhole: true });
        expect(found.kind).toBe(isJson(json) ? 'summary' : 'broken');
      }),
    );
  });

  it('[D9] accepts any beginning of JSON', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), fc.nat(), async (json, at) => {
        const text = json.slice(0, at % (json.length + 1));
        expect((await summariseData('json', { text, isWhole: false })).kind).toBe('summary');
      }),
    );
    expect(await about('json', '{"a":1,\n"b"', false)).toBe('2 lines so far');
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('YAML', () => {
  it.each<Case>([
    ['a: 1\nb:\n  - x\n', 'an object with 2 keys: a, b'],
    ['__proto__: 1\nconstructor: 2\n', 'an object with 2 keys: __proto__, constructor'],
    ['- id: 1\n  title: "x: y"\n- other\n', 'an array of 2 items; keys of the first: id, title'],
    ['[a, b,\nc]', 'an array of 3 items; the first is a string'],
    ['hello', 'a string'],
    ['# nothing\n', 'null'],
  ])('[D9] %j', async (text, summary) => {
    expect(await about('yaml', text)).toBe(summary);
  });

  it.each<Case>([
    ['a: 1\nb: [1,\n', '2 flow sequence in block collection must be sufficiently indented and end with a ]'],
    ['a: 1\na: 2\n', '2 the key "a" is used twice'],
    ['- !tag x\n', '1 it uses a tag, which is not supported'],
  ])('[D20] rejects %j with its line', async (text, reason) => {
    expect(await about('yaml', text)).toBe(reason);
  });

  it('[D20] rejects excessive nesting and aliases', async () => {
    expect(await about('yaml', `a: ${'['.repeat(5_000)}`)).toBe('1 it is nested deeper than 64 levels');
    const bomb = Array.from(
      { length: 9 },
      (_, index) => `a${index}: &a${index} [${`*a${index - 1}, `.repeat(9)}x]`,
    );
    expect(await about('yaml', bomb.join('\n').replaceAll('*a-1, ', ''))).toMatch(
      /^\d+ it uses too many aliases$/,
    );
  });

  it('[D9] treats long YAML that is not plain as text', async () => {
    expect(await about('yaml', '- {id: 1.5, title: "x"}\n'.repeat(5_000))).toBe(
      'text: it is too long to be parsed; it is treated as text',
    );
    expect(await about('yaml', `a: 1\nb:\n${'  - text\n'.repeat(20_000)}`)).toBe(
      'an object with 2 keys: a, b',
    );
  });

  it('[D9] counts the lines of truncated YAML', async () => {
    expect(await about('yaml', 'a: 1\nb: {x', false)).toBe('2 lines so far');
  });
});

describe('CSV', () => {
  it.each<Case>([
    ['key,title,status\r\n1,"a, ""b""\r\nc",x\r\n\r\n2,b,y\r\n', '2 rows; columns: key, title, status'],
    ['a;b;c\n1,5;2;3\n', '1 row; columns: a, b, c; separated by ";"'],
    ['a\tb\n1\t2', '1 row; columns: a, b; separated by tabs'],
    ['"a,b" ,c\n1,2\n', '1 row; columns: "a,b", c'],
    ['a,b\n1\n1,2,3\n1,2', '3 rows; columns: a, b; 2 rows with a different number of fields'],
    ['one\n\n5" wide\n', '1 row; columns: one'],
    ['\n\na;b\n', '0 rows; columns: a, b; separated by ";"'],
    ['a,__proto__,\u202eb', '0 rows; columns: a, __proto__, "\\u202eb"'],
    ['', '0 rows'],
  ])('[D9] %j', async (text, summary) => {
    expect(await about('csv', text)).toBe(summary);
  });

  it.each<Case>([
    ['a,b\n1,"2\n3,4', '2:3 the quote that opens here is never closed'],
    ['a,"b"c\n', '1:6 there is text after the closing quote of a field'],
  ])('[D20] rejects %j with line and column', async (text, reason) => {
    expect(await about('csv', text)).toBe(reason);
  });

  it('[D9] counts rows and columns, whatever the fields contain', async () => {
    const separator = fc.constantFrom(',', ';', '\t');
    const table = fc
      .integer({ min: 2, max: 5 })
      .chain((width) =>
        fc.array(fc.array(fc.string(), { minLength: width, maxLength: width }), { minLength: 1 }),
      );
    await fc.assert(
      fc.asyncProperty(table, separator, fc.constantFrom('\n', '\r\n'), async (rows, mark, newline) => {
        const quote = (field: string): string => `"${field.replaceAll('"', '""')}"`;
        const text = rows.map((row) => row.map(quote).join(mark)).join(newline);
        const summary = await about('csv', text);
        expect(summary).toMatch(new RegExp(`^${rows.length - 1} rows?; columns: `));
        expect(summary).not.toContain('a different number');
      }),
    );
  });

  it('[D9] names twenty of a million columns', async () => {
    expect(await about('csv', 'x,'.repeat(999_999))).toBe(
      `0 rows; columns: ${Array.from({ length: 20 }, () => 'x').join(', ')} and 999980 more`,
    );
  });

  it('[D9] does not count the last row of a truncated text', async () => {
    expect(await about('csv', 'a,b\n1,2\n3,"x', false)).toBe('1 row so far; columns: a, b');
    expect(await about('csv', 'a,b\n1,2\n3,', false)).toBe('1 row so far; columns: a, b');
  });
});

describe('XML', () => {
  it.each<Case>([
    ['<?xml version="1.0"?>\n<!-- <no> -->\n<s:list a="1">\n<story/></s:list>\n', 'root <s:list>; 4 lines'],
    ['<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;">]><größe>&c;</größe>', 'root <größe>; 1 line'],
    ['<!-- <a>', 'no element; 1 line'],
    ['', 'no element; 0 lines'],
  ])('[D9] %j', async (text, summary) => {
    expect(await about('xml', text)).toBe(summary);
  });

  it('[D9] accepts any beginning of XML', async () => {
    expect(await about('xml', '<a>\n<b/><c', false)).toBe('root <a>; 2 lines so far');
  });
});

describe('text', () => {
  it('[D9] counts lines', async () => {
    expect(await about('text', 'a\nb\n')).toBe('2 lines');
    expect(await about('text', 'a')).toBe('1 line');
    expect(await about('text', '')).toBe('0 lines');
    expect(await about('text', 'a\nb', false)).toBe('2 lines so far');
  });
});

it('[D9] keeps summaries short', async () => {
  const names = fc.array(fc.string({ unit: 'binary', maxLength: 200 }), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(names, async (keys) => {
      const json = JSON.stringify(Object.fromEntries(keys.map((key) => [key, 1])));
      const csv = keys.map((key) => `"${key.replaceAll('"', '""')}"`).join(',');
      for (const summary of [await about('json', json), await about('csv', csv)]) {
        expect(summary.length).toBeLessThan(20 * 300);
        expect(summary).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
      }
    }),
  );
});
