import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toShownPart } from './code-block.tsx';

describe('a long text', () => {
  it('[U29] is shown in parts that never split a character', () => {
    const { text, hiddenChars } = toShownPart(`${'x'.repeat(9)}😀y`, 10);
    expect(text).toBe('x'.repeat(9));
    expect(hiddenChars).toBe(3);
  });

  it('[U29] has no line that takes a browser seconds to lay out', () => {
    const { text } = toShownPart('z'.repeat(1_000_000), 200_000);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(4_000);
  });

  it('[U29] only gains line breaks and loses nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 50 }), fc.nat(40), (text, chars) => {
        const part = toShownPart(text, chars);
        return text.startsWith(part.text) && part.text.length + part.hiddenChars === text.length;
      }),
    );
  });
});
