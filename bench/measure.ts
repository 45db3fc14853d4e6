/**
 * Measures two functions against each other: they alternate, so that noise of the machine affects both.
 */
export interface Row {
  readonly name: string;
  readonly ours: string;
  readonly baseline: string;
  readonly ratio: number;
  readonly limit: number;
}

/** Medians of alternating runs, in milliseconds. */
export async function compare(
  rounds: number,
  ours: () => Promise<unknown>,
  baseline: () => Promise<unknown>,
): Promise<{ ours: number; baseline: number }> {
  const times: { ours: number[]; baseline: number[] } = { ours: [], baseline: [] };
  for (let round = 0; round < rounds; round++) {
    times.ours.push(await timed(ours));
    times.baseline.push(await timed(baseline));
  }
  return { ours: median(times.ours), baseline: median(times.baseline) };
}

export function toRow(name: string, times: { ours: number; baseline: number }, limit: number): Row {
  return {
    name,
    ours: `${times.ours.toFixed(1)} ms`,
    baseline: `${times.baseline.toFixed(1)} ms`,
    ratio: times.ours / times.baseline,
    limit,
  };
}

export function printRows(rows: readonly Row[]): void {
  console.log(
    `${'benchmark'.padEnd(64)}${'ours'.padStart(12)}${'baseline'.padStart(12)}${'ratio'.padStart(8)}${'limit'.padStart(9)}`,
  );
  for (const { name, ours, baseline, ratio, limit } of rows) {
    const mark = ratio <= limit ? '' : '  ← exceeded';
    console.log(
      `${name.padEnd(64)}${ours.padStart(12)}${baseline.padStart(12)}${ratio.toFixed(2).padStart(8)}${`≤ ${limit}`.padStart(9)}${mark}`,
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
