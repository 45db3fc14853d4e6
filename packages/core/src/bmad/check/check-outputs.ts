/**
 * Checks that the declared outputs of a node can be written: a run writes to its project only.
 */
import { posix } from 'node:path';
import type { Findings } from './findings.ts';

export function checkOutputs(
  outputs: readonly string[] | undefined,
  locationOf: (index: number) => { file: string; pointer?: string; line?: number },
  findings: Findings,
): void {
  for (const [index, output] of (outputs ?? []).entries()) {
    if (!isOutside(output.trim())) continue;
    findings.add('OUTPUT_OUTSIDE_PROJECT', {
      ...locationOf(index),
      message: `the output "${output.slice(0, 120)}" is outside the project, where a run cannot write`,
      fix: 'Write a path relative to the project, such as artifacts/report.md.',
    });
  }
}

function isOutside(output: string): boolean {
  if (/^(?:[/\\~]|[A-Za-z]:[/\\]|@pkg\/)/.test(output)) return true;
  const path = output.replace(/^@(?:project|state)\//, '').replaceAll('\\', '/');
  return /^\.\.(?:\/|$)/.test(posix.normalize(path));
}
