import { describe, expect, it } from 'vitest';
import { parseCitations, parseRules, wrap } from './rule-citations.mjs';

/** Citations in a sample, one per line. The samples write `<B7>` for `[B7]`, so that the check does not treat them as tests. */
function cited(sample: string): string[] {
  const citations = parseCitations(sample.replace(/<([A-Z]\d+|\$\{rule\})>/g, '[$1]'));
  return citations.map(({ id, line, context, title, cases }) =>
    [`${id}:${line}`, ...context, title, ...(cases ? [cases] : [])].join(' | '),
  );
}

describe('rules', () => {
  it('are the lines that start with an id in bold', () => {
    expect(parseRules('# Mounts (M)\n\n- **M1** One.\n**M2** Two, see **M1**.\nM3 is none.\n')).toEqual([
      { id: 'M1', text: 'One.' },
      { id: 'M2', text: 'Two, see **M1**.' },
    ]);
  });
});

describe('citations', () => {
  it('include the titles of the enclosing describe blocks', () => {
    const sample = `
describe('a package', () => {
  describe.skipIf(isMac).concurrent('on disk', () => {
    it('<B7> is refused', () => {});
  });
  it("<B8> <B9> isn't \\"lost\\", see [B] and <B1>", () => {});
});
it.skipIf(isRoot && !isReady())(
  \`<B2> is \${kind}\`,
  () => {},
);
it('cites nothing', () => {});
`;
    expect(cited(sample)).toEqual([
      'B7:4 | a package | on disk | is refused',
      `B8:6 | a package | isn't "lost", see [B] and [B1]`,
      `B9:6 | a package | isn't "lost", see [B] and [B1]`,
      `B1:6 | a package | isn't "lost", see [B] and [B1]`,
      `B2:9 | is \${kind}`,
    ]);
  });

  it('of it.each include its table, inline or declared before', () => {
    const sample = `
  const cases = [
    ['one', 1],
  ];
  it.each(cases)('<T1> %s', () => {});
  it.each<[string]>([
    ['two'],
  ] as const)('<T2> %s', () => {});
`;
    expect(cited(sample)).toEqual([
      "T1:5 | %s | const cases = [ ['one', 1], ];",
      "T2:8 | %s | [ ['two'], ] as const",
    ]);
  });

  it('of a title with a rule per row are one for each row', () => {
    const sample = `
const rows = [
  ['S1', 'a jump'],
  [
    'S2',
    'an edge',
  ],
];
for (const [rule, what] of rows) {
  it(\`<\${rule}> refuses $what\`, () => {});
}
`;
    expect(cited(sample)).toEqual([
      "S1:3 | refuses $what | ['S1', 'a jump'],",
      "S2:4 | refuses $what | [ 'S2', 'an edge', ],",
    ]);
  });
});

it('rules are wrapped between words at 120 columns', () => {
  const lines = wrap('word '.repeat(60).trim(), 5).split('\n');
  expect(lines.map((line) => line.length)).toEqual([114, 119, 74]);
  expect(lines[1]).toMatch(/^ {5}word/);
});
