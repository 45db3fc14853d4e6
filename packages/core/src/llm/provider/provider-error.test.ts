import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toQuotable, withoutKey } from './provider-error.ts';

describe('an API key in the message of a provider', () => {
  it('[L73] is replaced also if it is short, repeats itself, or is part of the marker', () => {
    expect(toQuotable('Invalid API key: key', 'key')).toBe('Invalid API [key]: [key]');
    expect(toQuotable('kkk', 'k')).toBe('[key][key][key]');
    expect(toQuotable('[key]', '[key]')).toBe('[key]');
    expect(toQuotable('aaaa', 'aa')).toBe('[key][key]');
    expect(toQuotable('any', '')).toBe('any');
  });

  it('[L73] ends for every key and text, and leaves nothing but the text without the key', () => {
    const short = fc.string({
      unit: fc.constantFrom('k', 'e', 'y', '[', ']', '%', ' '),
      minLength: 1,
      maxLength: 12,
    });
    const texts = fc.array(fc.oneof(short, fc.string({ maxLength: 4 })), { maxLength: 8 });
    fc.assert(
      fc.property(short, texts, (key, parts) => {
        const text = parts.join(key);
        const safe = withoutKey(text, key);
        expect(safe.replaceAll('[key]', '').length).toBeLessThanOrEqual(text.length);
        const outside = safe.split('[key]');
        if (!'[key]'.includes(key.slice(0, 8)))
          expect(outside.filter((part) => part.includes(key))).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });
});
