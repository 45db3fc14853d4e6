import { describe, expect, it } from 'vitest';
import { findRawTokens, withRequest } from './raw-tokens.ts';

describe('tokens of other tools', () => {
  it.each([
    ['Fix $ARGUMENTS.', 'Fix (what the person asked for).'],
    [
      '$1 and then $2',
      '(part 1 of what the person asked for) and then (part 2 of what the person asked for)',
    ],
    ['It costs $100.', 'It costs $100.'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a token of another tool
    ['Name: ${input:name:Project name}', 'Name: (Project name, as the person says)'],
    ['```sh\necho $1\n```\n$1', '```sh\necho $1\n```\n(part 1 of what the person asked for)'],
  ])('[Z10] %j is replaced by what it stands for', (written, expected) => {
    expect(withRequest(written)).toBe(expected);
  });

  it('[Z50] what only that tool can replace is found; what the model fills in is not', () => {
    const text =
      '{{parts/plan/ask}} {{UNLESS short}} {{yes/no}} {{#if risks}} {{name}}\n!`git status`\n```\n!`ls`\n```\n';
    expect(findRawTokens(text, ['kit/parts/plan/ask.md'])).toEqual([
      '{{UNLESS short}}',
      '!`git status`',
      '{{parts/plan/ask}}',
    ]);
  });
});
