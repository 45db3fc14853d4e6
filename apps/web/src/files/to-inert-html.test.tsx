import { describe, expect, it } from 'vitest';
import { viewsOf } from './file-views.ts';
import { toInertHtml } from './to-inert-html.ts';
import { withoutStyles } from './without-styles.ts';

const PIECES = [
  '<a ',
  'b=',
  '"',
  "'",
  '>',
  '/',
  '=',
  '<title>',
  '</title>',
  '<textarea>',
  '</textarea>',
  '<!--',
];

describe('a page out of a project', () => {
  it('[U2] has no styles for the browser to complain of, whatever is left open before them', () => {
    const left: string[] = [];
    for (const first of PIECES)
      for (const second of PIECES)
        for (const third of PIECES)
          for (const fourth of PIECES) {
            const text = `${first}${second}${third}${fourth}<p style=x>`;
            const page = new DOMParser().parseFromString(withoutStyles(text), 'text/html');
            if (page.querySelector('style, [style]')) left.push(text);
          }
    expect(left).toEqual([]);
  });

  it('[U55] keeps no script, no address to fetch and no link', () => {
    const html = toInertHtml(
      '<p style="color: red" onclick="a()" id="b">text <a href="https://a.example">c</a><script>d()</script><img src="e.png"></p>',
    );
    expect(html).toContain('<p data-style="color: red" id="b">text <a>c</a><img></p>');
  });

  it('[U115] opens to be written in when it is long', () => {
    const facts = {
      path: '@project/a.html',
      modifiedAt: '',
      mime: 'text/html',
      kind: 'text',
      text: '',
    } as const;
    const more = { isTooLarge: false, sha256: '', encoding: 'utf8', lineEnding: 'lf' } as const;
    const viewsAt = (bytes: number) => viewsOf('a.html', { ...facts, ...more, bytes });
    expect(viewsAt(10_000)).toEqual(['page', 'write']);
    expect(viewsAt(2_000_000)).toEqual(['write', 'page']);
  });
});
