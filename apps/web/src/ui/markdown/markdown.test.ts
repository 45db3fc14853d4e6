import { expect, it } from 'vitest';
import { withoutFrontmatter } from './markdown.tsx';

it.each([
  ['---\nnodeId: a\n---\n# Step\n', '# Step'],
  ['\ufeff---\r\nnodeId: a\r\n---\r\nText', 'Text'],
  ['---\n---\nText', 'Text'],
  ['# No head\n\n---\n\nText', '# No head\n\n---\n\nText'],
  ['---\na: 1\n---\n\n    code\n', '    code'],
  ['---\nnever ends', '---\nnever ends'],
])('[U84] removes the frontmatter of a step: %j', (text, shown) => {
  expect(withoutFrontmatter(text)).toBe(shown);
});
