import { hasInvisible } from '@crewagent/protocol/plain-text';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toShownLine, toShownProse, toShownText } from './sanitize-text.ts';

const hostileText = fc.string({
  unit: fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    fc.constantFrom(
      '\u202e',
      '\u2066',
      '\u200b',
      '\u200d',
      '\u200c',
      '\u001b[31m',
      '\u001b]8;;x\u0007',
      '\t',
      '\n',
      '👩',
      '🏽',
      'ا',
      '<b>',
    ),
  ),
});

describe('untrusted text', () => {
  it('[U7] on one line contains no invisible characters', () => {
    fc.assert(fc.property(hostileText, (text) => !hasInvisible(toShownLine(text))));
  });

  it('[U7] on several lines keeps line breaks and tabs, and no other invisible characters', () => {
    fc.assert(fc.property(hostileText, (text) => !hasInvisible(toShownText(text).replaceAll(/[\n\t]/g, ''))));
  });

  it('[U7] as prose contains no direction overrides', () => {
    fc.assert(
      fc.property(
        hostileText,
        (text) => !/[\u202a-\u202e\u2066-\u2069\u200b\ufeff]/.test(toShownProse(text)),
      ),
    );
  });

  it('[U7] keeps the joiners that languages and emoji need', () => {
    expect(toShownProse('می‌خواهم 👩‍💻 ok')).toBe('می‌خواهم 👩‍💻 ok');
    expect(toShownProse('a\u200db\u202ec')).toBe('a\u200db\uFFFDc');
    expect(toShownText('\u001b[1;31mred\u001b[0m\r\nnext')).toBe('red\nnext');
  });
});
