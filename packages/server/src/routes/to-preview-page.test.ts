import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toPreviewPage } from './previews.ts';

const PROLOGUE = '<!doctype html><base target="_blank">';

describe('the HTML of a preview', () => {
  it('[H90] opens no connection, also where no policy forbids it', () => {
    const page = toPreviewPage(
      '<LINK rel=preconnect href="https://a.example"><link\nrel=dns-prefetch href=//a.example><link/rel=preconnect><linked><ul>' +
        '<iframe src="https://a.example"><img></iframe><frameset><FRAME src="https://a.example"></frameset>',
    );
    expect(page).toBe(
      `${PROLOGUE}<basefont rel=preconnect href="https://a.example"><basefont\nrel=dns-prefetch href=//a.example><basefont/rel=preconnect><linked><ul>` +
        '<noframes src="https://a.example"><img></noframes><frameset><basefont src="https://a.example"></frameset>',
    );
  });

  it('[H90] disables links, except those within the page', () => {
    expect(toPreviewPage('<a href="https://a.example#b">c</a>')).toBe(
      `${PROLOGUE}<a href="https://a.example#b">c</a>`,
    );
    expect(toPreviewPage(`<a href="#b">c</a><A class="d" HREF = '#e' target=_top>f</A>`)).toBe(
      `${PROLOGUE}<a target="_self" href="#b">c</a><A class="d" target="_self" HREF = '#e' target=_top>f</A>`,
    );
  });

  it('[H90] leaves every other text unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        fc.pre(!/<\/?(?:link|i?frame|a)[\s/>]/i.test(text));
        expect(toPreviewPage(text)).toBe(PROLOGUE + text);
      }),
    );
  });

  // A pattern with quadratic backtracking would not terminate here.
  it.each(['<a', '<a ', '<a href', '<a href ', '<a href=', '<a b="', '<link', '<iframe ', ' ', '<'])(
    '[U50] is converted in linear time from "%s" repeated',
    (piece) => {
      const text = piece.repeat(250_000);
      expect(toPreviewPage(text).length).toBeGreaterThanOrEqual(text.length);
      const inOneTag = `<a ${text.replaceAll('<', '')}`;
      expect(toPreviewPage(inOneTag).length).toBeGreaterThanOrEqual(inOneTag.length);
    },
  );
});
