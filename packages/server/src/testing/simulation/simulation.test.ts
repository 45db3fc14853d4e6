import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canLosePower } from '../../../../core/src/testing/lossy-disk.ts';
import { simulate } from './simulate.ts';
import { type Step, stepsArbitrary } from './steps.ts';
import { type PreparedDisk, prepareDisk } from './world.ts';

const FIXED_SEEDS = [1, 2, 3, 4, 5];
const MINUTES_OF_CRASHES = 10;

/** Steps of a seed; fast-check removes those that a failure does not need. */
async function explore(prepared: PreparedDisk, seed: number): Promise<void> {
  const simulation = fc.asyncProperty(
    stepsArbitrary,
    async (steps) => void (await simulate(prepared, { seed, steps })),
  );
  await fc.assert(simulation, { seed, numRuns: 1, unbiased: true });
}

function stepsOf(seed: number): readonly Step[] {
  return fc.sample(stepsArbitrary, { seed, numRuns: 1 })[0] ?? [];
}

describe.skipIf(!canLosePower)('a simulated server', () => {
  it('[W6] loses nothing, does nothing twice and leaves nobody waiting, whatever fails and when', async () => {
    const prepared = await prepareDisk();
    for (const seed of chosenSeeds()) await explore(prepared, seed);
  }, 7_200_000);

  it('gives the same execution for the same seed', async () => {
    const prepared = await prepareDisk();
    const steps = stepsOf(2);
    const hashes = [];
    for (const seed of [2, 2, 3]) hashes.push((await simulate(prepared, { seed, steps })).hash);
    expect(hashes[0]).toBe(hashes[1]);
    expect(hashes[2]).not.toBe(hashes[0]);
  });

  it('compares the stories also if the last step stops the server', async () => {
    const prepared = await prepareDisk();
    const steps: Step[] = [
      { kind: 'create', work: 0, operations: 120 },
      { kind: 'restart', work: 0, operations: 0 },
    ];
    const { ledger } = await simulate(prepared, { seed: 1, steps });
    expect(ledger.works.size).toBe(1);
  });

  it('notices what a disk loses that ignores syncs', async () => {
    const prepared = await prepareDisk();
    const steps: Step[] = [
      { kind: 'create', work: 0, operations: 120 },
      { kind: 'power loss', work: 0, operations: 0 },
    ];
    await simulate(prepared, { seed: 1, steps });
    await expect(simulate(prepared, { seed: 1, steps, hasLyingDisk: true })).rejects.toThrow(
      'a created Work exists until it is removed',
    );
  });
});

/** `CREWAGENT_SEED` names one; `npm run test:crash` tries new ones for ten minutes. */
function* chosenSeeds(): Generator<number, void> {
  const { CREWAGENT_SEED: named, CREWAGENT_CRASH: crash } = process.env;
  yield* named === undefined ? FIXED_SEEDS : [Number(named)];
  if (named !== undefined || crash !== 'all') return;
  const endMs = performance.now() + MINUTES_OF_CRASHES * 60_000;
  while (performance.now() < endMs) yield Math.floor(Math.random() * 2 ** 31);
}
