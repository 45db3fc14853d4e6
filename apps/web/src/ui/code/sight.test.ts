import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSight } from './sight.ts';

it('[U500] a row counts when all of its parts were on screen, in any order', () => {
  const sight = createSight(2);
  expect([sight.see(1, 0.5, 1), sight.see(1, 0, 0.4), sight.unseen()]).toEqual([false, false, 2]);
  expect([sight.see(1, 0.3, 0.6), sight.unseen(), sight.firstUnseen()]).toEqual([true, 1, 0]);
  expect([sight.see(0, -0.1, 1.1), sight.unseen(), sight.firstUnseen()]).toEqual([true, 0, undefined]);
  expect(sight.see(7, 0, 1)).toBe(false);
});

it('[U500] a row is seen exactly when the parts cover it', () => {
  const parts = fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 12 });
  fc.assert(
    fc.property(parts, (looks) => {
      const sight = createSight(1);
      const covered = new Set<number>();
      for (const [one, other] of looks) {
        const [from, to] = [Math.min(one, other), Math.max(one, other) + 1];
        sight.see(0, from / 10, to / 10);
        for (let tenth = from; tenth < to; tenth++) covered.add(tenth);
      }
      expect(sight.isSeen(0)).toBe(covered.size === 10);
    }),
    { numRuns: 500 },
  );
});
