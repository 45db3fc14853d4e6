import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCsv } from './parse-csv.ts';

describe('a CSV', () => {
  it.each([
    [
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a;b\r\n1;2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['a\tb\n', [['a', 'b']]],
    [
      '"a ""b""",c\n"x\ny",',
      [
        ['a "b"', 'c'],
        ['x\ny', ''],
      ],
    ],
    ['a,,\n\n', [['a', '', ''], ['']]],
    ['"never closed\n1', [['never closed\n1']]],
    ['"a"b,c', [['ab', 'c']]],
    ['\ufeffa,b', [['a', 'b']]],
    ['', []],
  ])('[U50] %j is read as rows and cells', (text, rows) => {
    expect(parseCsv(text, 'x.csv').rows).toEqual(rows);
  });

  it('[U50] a TSV is split at tabs only', () => {
    expect(parseCsv('a,b\tc\n', 'x.TSV').rows).toEqual([['a,b', 'c']]);
  });

  it('[U50] quoted cells round-trip, whatever they contain', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ';', ' ') });
    const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(rows, (written) => {
        const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
        const text = written.map((row) => row.map(quoted).join('\t')).join('\n');
        expect(parseCsv(text, 'x.tsv').rows).toEqual(written);
      }),
    );
  });

  it('[U50] never throws, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', '\t') }), (text) => {
        expect(parseCsv(text, 'x.csv').columns).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
