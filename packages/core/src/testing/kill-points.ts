/**
 * Points at which a test kills a process: all of them in `npm run test:crash`, otherwise a few evenly spread ones, the same every
 * time (decision 0096).
 */

/** In `npm run test:crash`. */
export const isExhaustive = process.env.CREWAGENT_CRASH === 'all';

/** Some of the numbers from 1 to `count`, in order. */
export function killPoints(count: number, sample: number): number[] {
  const all = Array.from({ length: count }, (_, index) => index + 1);
  const step = Math.max(1, Math.floor(count / sample));
  const first = Math.floor(step / 2);
  return isExhaustive ? all : all.filter((_, index) => index % step === first).slice(0, sample);
}

/** Number of repetitions of a test that kills at random. */
export function killCount(all: number): number {
  return isExhaustive ? all : Math.ceil(all / 3);
}

/** The number of cases of a property test whose cases are slow; `npm run test:crash` runs ten times as many. */
export function cases(count: number): { readonly numRuns: number } {
  return { numRuns: process.env.CREWAGENT_CRASH === 'all' ? count * 10 : count };
}
