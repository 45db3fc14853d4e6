/**
 * At which of many moments a test kills a process: at all of them in `npm run test:crash`, otherwise at a few that are spread
 * over the whole and begin somewhere else each time.
 */
const isWhole = process.env.CREWAGENT_CRASH === 'all';

/** Some of the numbers from 1 to `count`, in order. */
export function killPoints(count: number, sample: number): number[] {
  const all = Array.from({ length: count }, (_, index) => index + 1);
  const step = Math.max(1, Math.floor(count / sample));
  const first = Math.floor(Math.random() * step);
  return isWhole ? all : all.filter((_, index) => index % step === first).slice(0, sample);
}

/** How often a test repeats something that is killed at random. */
export function killCount(whole: number): number {
  return isWhole ? whole : Math.ceil(whole / 3);
}
