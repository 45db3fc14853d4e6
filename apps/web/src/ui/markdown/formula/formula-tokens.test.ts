import type { MarkedToken, Token } from 'marked';
import { describe, expect, it } from 'vitest';
import { readBlocks } from '../read-blocks.ts';
import { asFormula } from './formula-tokens.ts';

function formulasIn(text: string): readonly string[] {
  const found: string[] = [];
  const walk = (tokens: readonly Token[]): void => {
    for (const token of tokens) {
      const formula = asFormula(token);
      if (formula) found.push(`${formula.isBlock ? 'block ' : ''}${formula.source}`);
      const { tokens: inside, items } = token as { tokens?: Token[]; items?: Token[] };
      walk([...(inside ?? []), ...(items ?? [])]);
    }
  };
  walk(readBlocks(text).blocks as readonly MarkedToken[]);
  return found;
}

describe('formulas in a text', () => {
  it.each([
    ['The mean is $\\bar{x}$, not $a*b*c$.', ['\\bar{x}', 'a*b*c']],
    ['$$\n\\sum_{i=1}^n i\n$$', ['block \\sum_{i=1}^n i']],
    ['\\[\na = b\n\\]', ['block a = b']],
    ['So \\(a_1 + b_1\\) it is.', ['a_1 + b_1']],
    ['- item $x^2$', ['x^2']],
    ['text\n$$a$$\nmore', ['block a']],
  ])('[U7] are found in %s', (text, expected) => {
    expect(formulasIn(text)).toEqual(expected);
  });

  it.each([
    'It costs $5 to $10.',
    'US$5 and CA$6, $5/$10',
    'Set $HOME and $PATH, or $HOME/$PATH.',
    '`$x$` and \\$5\\$',
    '```\n$$x$$\n```',
    'A note \\(see below\\) and \\[a link\\].',
    '$ x $ and $$ and $',
  ])('[U7] are not read into %s', (text) => {
    expect(formulasIn(text)).toEqual([]);
  });

  it('[U7] are searched in linear time', () => {
    for (const hostile of [
      '$a '.repeat(60_000),
      '\\(a '.repeat(50_000),
      '$$\n\n'.repeat(40_000),
      '\\[\n\n'.repeat(40_000),
    ])
      expect(formulasIn(hostile)).toEqual([]);
  });
});
