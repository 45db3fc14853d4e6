/**
 * Measuring two things against each other in one run: they take turns, so that a noisy machine hits both alike.
 */
export interface Row {
  readonly what: string;
  readonly ours: string;
  readonly floor: string;
  readonly ratio: number;
  readonly wanted: number;
}

/** Medians of alternating runs, in milliseconds. */
export async function compare(
  rounds: number,
  ours: () => Promise<unknown>,
  floor: () => Promise<unknown>,
): Promise<{ ours: number; floor: number }> {
  const times: { ours: number[]; floor: number[] } = { ours: [], floor: [] };
  for (let round = 0; round < rounds; round++) {
    times.ours.push(await timed(ours));
    times.floor.push(await timed(floor));
  }
  return { ours: median(times.ours), floor: median(times.floor) };
}

export function toRow(what: string, times: { ours: number; floor: number }, wanted: number): Row {
  return {
    what,
    ours: `${times.ours.toFixed(1)} ms`,
    floor: `${times.floor.toFixed(1)} ms`,
    ratio: times.ours / times.floor,
    wanted,
  };
}

export function printRows(rows: readonly Row[]): void {
  console.log(
    `${'what'.padEnd(64)}${'ours'.padStart(12)}${'floor'.padStart(12)}${'ratio'.padStart(8)}${'wanted'.padStart(9)}`,
  );
  for (const { what, ours, floor, ratio, wanted } of rows) {
    const mark = ratio <= wanted ? '' : '  ← over';
    console.log(
      `${what.padEnd(64)}${ours.padStart(12)}${floor.padStart(12)}${ratio.toFixed(2).padStart(8)}${`≤ ${wanted}`.padStart(9)}${mark}`,
    );
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
