import { describe, expect, it } from 'vitest';
import { toOutline } from './to-outline.ts';

describe('the outline of a document', () => {
  it('[U50] has three levels, without the title', () => {
    const text =
      '# Title\n\n## One\n\ntext\n\n### *Two* `code`\n\n#### Three\n\n##### Four\n\n## [Five](a.md)\n';
    expect(toOutline(text)).toEqual([
      { level: 1, title: 'One', index: 1 },
      { level: 2, title: 'Two code', index: 2 },
      { level: 3, title: 'Three', index: 3 },
      { level: 1, title: 'Five', index: 5 },
    ]);
  });

  it('[U50] starts at the highest level where there is no title, and leaves headings in quotes and code out', () => {
    expect(toOutline('## A\n\n> ## Quoted\n\n```\n# code\n```\n\n## B\n').map(({ title }) => title)).toEqual([
      'A',
      'B',
    ]);
    expect(toOutline('no headings')).toEqual([]);
  });
});
