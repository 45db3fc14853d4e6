/**
 * Measures two functions against each other: they alternate, so that noise of the machine affects both.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeTree } from '../packages/core/src/base/remove-tree.ts';

export interface Row {
  readonly name: string;
  readonly ours: string;
  readonly baseline: string;
  readonly ratio: number;
  readonly limit: number;
  /** Why there are no values. */
  readonly failure?: string;
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

export function toRow(
  name: string,
  { ours, baseline }: { ours: number; baseline: number },
  limit: number,
  unit = 'ms',
): Row {
  const show = (value: number): string => `${value.toFixed(value < 10 ? 2 : 1)} ${unit}`;
  return { name, ours: show(ours), baseline: show(baseline), ratio: ours / baseline, limit };
}

/** A value that has an absolute maximum. */
export function atMost(name: string, value: number, most: number, unit = 'ms'): Row {
  return toRow(name, { ours: value, baseline: most }, 1, unit);
}

/** The rows that `measure` returns, or one that says why it failed: the others are worth reading all the same. */
export async function attempt(name: string, measure: () => Promise<Row | readonly Row[]>): Promise<Row[]> {
  try {
    return [await measure()].flat();
  } catch (error) {
    const failure = (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
    return [{ name, ours: '', baseline: '', ratio: Number.NaN, limit: Number.NaN, failure }];
  }
}

/** A temporary folder, removed when `close` has stopped what uses it. */
export async function inFolder<T>(
  use: (folder: string) => Promise<T>,
  close?: () => Promise<unknown>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'crewagent-bench-'));
  try {
    return await use(folder);
  } finally {
    await close?.();
    await removeTree(folder);
  }
}

export function printHead(): void {
  console.log(
    `${'benchmark'.padEnd(64)}${'ours'.padStart(12)}${'baseline'.padStart(12)}${'ratio'.padStart(8)}${'limit'.padStart(9)}`,
  );
}

export function printRows(rows: readonly Row[]): void {
  for (const { name, ours, baseline, ratio, limit, failure } of rows) {
    if (failure !== undefined) {
      console.log(`${name.padEnd(64)}  ← failed: ${failure}`);
      continue;
    }
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

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
