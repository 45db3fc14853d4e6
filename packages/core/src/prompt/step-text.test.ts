import { describe, expect, it } from 'vitest';
import { toStepText } from './step-text.ts';

describe('the text of a step', () => {
  it.each([
    ['only fields of the format', '---\nnodeId: a\noutputs:\n  - x.md\nwaits: true\n---\n\n# A\n', '# A\n'],
    [
      'fields of its author',
      '---\nnodeId: a\nnextStepFile: ./b.md\nproduces:\n- path: x.md\n  headings: [A]\nmenu:\n  - C\n---\n\n# A',
      '---\nnextStepFile: ./b.md\nmenu:\n  - C\n---\n\n# A',
    ],
    [
      'variables',
      '---\ntitle: A\noutputs:\n  - {key}.md\ntransitions: [{to: b}]\n---\nText',
      '---\noutputs:\n  - {key}.md\n---\n\nText',
    ],
    ['CRLF', '---\r\ntitle: A\r\ntone: warm\r\n---\r\n\r\nText\r\n', '---\ntone: warm\n---\n\nText\r\n'],
    ['no frontmatter', '# A\n\ntitle: B\n', '# A\n\ntitle: B\n'],
    ['frontmatter without an end', '---\ntitle: A\n', '---\ntitle: A\n'],
    ['frontmatter in one line', '---\n{title: A}\n---\nText', '---\n{title: A}\n---\n\nText'],
  ])('[P12] is sent without what the brief states: %s', (_, text, sent) => {
    expect(toStepText(text)).toBe(sent);
  });
});
