import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { TimedOut, withTimeLimit } from './time-limit.ts';

const { signal } = new AbortController();

it('[Y30] work that reports progress has the limit anew, but not longer than the maximum', async () => {
  const work = (steps: number) => async (_: AbortSignal, extend: () => void) => {
    for (let step = 0; step < steps; step++) {
      await delay(50);
      extend();
    }
    return 'done';
  };
  // The steps take twice the limit.
  expect(await withTimeLimit(400, signal, work(16), 60_000)).toBe('done');
  await expect(withTimeLimit(400, signal, work(1_000), 800)).rejects.toThrow(TimedOut);
  await expect(withTimeLimit(50, signal, () => delay(10_000))).rejects.toThrow(TimedOut);
});
