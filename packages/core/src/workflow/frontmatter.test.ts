import { describe, expect, it } from 'vitest';
import { parseFrontmatter } from './full-frontmatter.ts';
import { MAX_FRONTMATTER_CHARS } from './split-frontmatter.ts';

const DATES = { expandDates: true };

function read(text: string): unknown {
  const parsed = parseFrontmatter(text, DATES);
  return parsed.ok ? parsed.value : parsed;
}

describe('frontmatter', () => {
  const accepted: [what: string, text: string, value: unknown][] = [
    ['LF', '---\na: 1\n---\nbody', { a: 1 }],
    ['CRLF', '---\r\na: 1\r\n---\r\nbody', { a: 1 }],
    ['a BOM', '\uFEFF---\na: 1\n---\n', { a: 1 }],
    ['no body', '---\na: 1\n---', { a: 1 }],
    ['spaces after the fence', '---  \na: 1\n---\t\n', { a: 1 }],
    [
      'YAML 1.2: yes and octal-looking numbers are not converted',
      '---\na: yes\nb: 010\nc: 1:30\n---\n',
      { a: 'yes', b: 10, c: '1:30' },
    ],
    ['dates stay strings', '---\ndate: 2026-01-31\n---\n', { date: '2026-01-31' }],
    [
      'dates in date-time fields become date-times',
      '---\nupdatedAt: 2026-01-31\ndecisionLog: [{decidedAt: 2026-01-31 10:00:00}]\n---\n',
      { updatedAt: '2026-01-31T00:00:00.000Z', decisionLog: [{ decidedAt: '2026-01-31T10:00:00.000Z' }] },
    ],
    ['a quoted date is unchanged', '---\nupdatedAt: "2026-01-31"\n---\n', { updatedAt: '2026-01-31' }],
    ['merge keys are ordinary keys', '---\nb: {<<: {x: 1}}\n---\n', { b: { '<<': { x: 1 } } }],
  ];
  for (const [what, text, value] of accepted) {
    it(`[B1] ${what}`, () => {
      expect(read(text)).toEqual(value);
    });
  }

  const refused: [what: string, text: string, reason: RegExp, line: number][] = [
    ['no frontmatter', '# Title\n', /begin with a line of three dashes/, 1],
    ['frontmatter after a blank line', '\n---\na: 1\n---\n', /begin/, 1],
    ['a language after the fence', '---js\n({a: process.exit(1)})\n---\n', /begin/, 1],
    ['an open block', '---\na: 1\n', /never closed/, 1],
    ['a list', '---\n- a\n---\n', /not a map/, 2],
    ['a text', '---\nhello\n---\n', /not a map/, 2],
    ['nothing', '---\n---\n', /not a map/, 2],
    ['a duplicate key', '---\na: 1\nb: 2\na: 3\n---\n', /"a" is used twice/, 4],
    ['a nested duplicate key', '---\na:\n  - {x: 1, x: 2}\n---\n', /"x" is used twice/, 3],
    ['a key as string and as number', '---\n1: a\n"1": b\n---\n', /"1" is used twice/, 3],
    ['broken YAML', '---\na: "x\n---\n', /quote/, 3],
    ['an unknown alias', '---\na: *x\n---\n', /undefined alias/, 1],
    ['too long', `---\na: ${'x'.repeat(MAX_FRONTMATTER_CHARS)}\n---\n`, /longer than/, 1],
    ['a tag', '---\na: !!omap [b: 1]\n---\n', /tag/, 2],
    ['a key that is a list', '---\n? [a, b]\n: c\n---\n', /key is not a string/, 2],
    ['an unknown alias in a list', '---\na: [*b]\n---\n', /alias/, 1],
  ];
  for (const [what, text, reason, line] of refused) {
    it(`[B1] rejects ${what}`, () => {
      const parsed = parseFrontmatter(text, DATES);
      expect(parsed).toMatchObject({ ok: false, line });
      expect(parsed.ok ? '' : parsed.reason).toMatch(reason);
    });
  }

  it('[B1] caps alias expansion', () => {
    const bomb = ['a0: &a0 [x, x]'];
    for (let i = 1; i < 30; i++) bomb.push(`a${i}: &a${i} [*a${i - 1}, *a${i - 1}, *a${i - 1}]`);
    expect(parseFrontmatter(`---\n${bomb.join('\n')}\n---\n`)).toMatchObject({
      ok: false,
      reason: 'it uses too many aliases',
    });
  });

  it.each(['[', '{a: ', '- ', '? ', '"', ',', '&a ', '!t ', ': ', '*a ', ' #\n', 'a: ['])(
    '[B1] terminates on tens of thousands of %j, in a value and on a separate line',
    (piece) => {
      const many = piece.repeat(Math.floor(40_000 / piece.length));
      expect(parseFrontmatter(`---\nx: ${many}\n---\n`).ok).toBe(piece === ' #\n');
      expect(parseFrontmatter(`---\nx: [${many}\n---\n`).ok).toBe(false);
      parseFrontmatter(`---\n${many}\n---\n`);
      const indented = Array.from(
        { length: 300 },
        (_, depth) => `${' '.repeat(depth)}${piece === '- ' ? '-' : 'a:'}`,
      );
      expect(parseFrontmatter(`---\n${indented.join('\n')}\n---\n`)).toMatchObject({ ok: false });
    },
  );

  it.each(['2016-12-31T23:59:60', '2016-12-31 23:59:60'])('[B1] accepts a bare leap second: %s', (date) => {
    const text = `---\nupdatedAt: ${date}\ndecisionLog: [{decidedAt: ${date}}]\n---\n`;
    const parsed = parseFrontmatter(text, { expandDates: true });
    expect(parsed.ok && parsed.value).toEqual({
      updatedAt: '2016-12-31T23:59:60Z',
      decisionLog: [{ decidedAt: '2016-12-31T23:59:60Z' }],
    });
  });

  it('[B1] keeps __proto__ as an own key, so that it can be rejected', () => {
    const parsed = parseFrontmatter('---\n__proto__: {polluted: true}\n---\n');
    expect(parsed.ok && Object.keys(parsed.value)).toEqual(['__proto__']);
    expect({}).not.toHaveProperty('polluted');
  });

  it('[B10] returns the line of a field, or of its nearest ancestor', () => {
    const parsed = parseFrontmatter('---\na: 1\nlist:\n  - x\n  - y: 2\n---\n');
    if (!parsed.ok) throw new Error(parsed.reason);
    expect(parsed.lineOf(['a'])).toBe(2);
    expect(parsed.lineOf(['list', 1, 'y'])).toBe(5);
    expect(parsed.lineOf(['list', 1, 'missing'])).toBe(5);
    expect(parsed.lineOf(['missing'])).toBe(1);
  });

  it('[B1] keeps the body byte for byte', () => {
    const parsed = parseFrontmatter('---\na: 1\n---\n\r\n  body --- \n---\nmore');
    expect(parsed.ok && parsed.body).toBe('\r\n  body --- \n---\nmore');
  });
});
