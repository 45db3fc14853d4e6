import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createUuidV7 } from './uuid-v7.ts';

describe('createUuidV7', () => {
  it('[A10] returns a UUID of version 7 that begins with the time', () => {
    const newId = createUuidV7(
      () => new Date(0x0123_4567_89ab),
      (bytes) => new Uint8Array(bytes).fill(0xff),
    );
    expect(newId()).toBe('01234567-89ab-77ff-bfff-ffffffffffff');
  });

  it('[A10] returns increasing ids, whatever the clock does', () => {
    const time = fc.nat({ max: 5 }).map((ms) => new Date(1_700_000_000_000 + ms));
    fc.assert(
      fc.property(fc.array(time, { minLength: 1, maxLength: 50 }), (times) => {
        let call = 0;
        const newId = createUuidV7(() => times[call++ % times.length] ?? new Date(0));
        const ids = Array.from({ length: 200 }, newId);
        expect(ids.toSorted()).toEqual(ids);
        expect(new Set(ids).size).toBe(ids.length);
        for (const id of ids)
          expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      }),
    );
  });

  it('[A10] keeps increasing when a millisecond is full', () => {
    const newId = createUuidV7(() => new Date(1_700_000_000_000));
    const ids = Array.from({ length: 10_000 }, newId);
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
