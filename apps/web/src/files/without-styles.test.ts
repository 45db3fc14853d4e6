import { describe, expect, it } from 'vitest';
import { withoutStyles } from './without-styles.ts';

describe('a page without its styles', () => {
  it.each([
    ['<p style="a">style = b</p>', '<p data-style="a">style = b</p>'],
    ['<p title="a > b" STYLE=c>', '<p title="a > b" data-style=c>'],
    [`<p id='a'style = 'b'/>`, `<p id='a'data-style = 'b'/>`],
    ['<p id=a/style=b style=c>', '<p id=a/data-style=b data-style=c>'],
    ['<style>p { }</style>', '<noembed>p { }</noembed>'],
    [`<!-- <p a=' --><p style=a>`, `<!-- <p a=' --><p data-style=a>`],
    [`<script>a <b && "<p a='"</script><p style=a>`, `<script>a <b && "<p a='"</script><p data-style=a>`],
    ['1 <2 style = a', '1 <2 style = a'],
    ['<p style=a', '<p data-style=a'],
  ])('[U2] leaves the browser no style to complain of: %s', (text, expected) =>
    expect(withoutStyles(text)).toBe(expected),
  );

  it.each(['<a', '<a "', `<a b='`, '<a b= ', '<a/', '<!--', '<script>', '<title><a ', '<', ' style='])(
    '[U115] %s over and over takes time in proportion',
    (piece) => {
      const count = 4_000;
      const more = 8;
      // Twice as long would be four times as much where each place looked at all that follow: 64 times as much here.
      expect(quickest(piece.repeat(count * more)) / quickest(piece.repeat(count))).toBeLessThan(more * 4);
    },
  );
});

/** Of a few, for other programs take their time as well. */
function quickest(text: string): number {
  const times = Array.from({ length: 7 }, () => {
    const start = performance.now();
    withoutStyles(text);
    return performance.now() - start;
  });
  return Math.min(...times);
}
