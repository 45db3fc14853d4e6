/**
 * Rules that several documents of a package have in common: unique ids, files that exist, outputs that a run can write. Pure.
 */

import { posix } from 'node:path';
import { printable } from '../archive/entry-rules.ts';
import type { PackageFiles } from '../archive/package-files.ts';
import type { Findings } from '../findings/findings.ts';

interface IdList {
  readonly file: string;
  /** Pointer of the list. */
  readonly list: string;
  readonly what: string;
  /** Default: the id is used twice. */
  readonly toMessage?: (id: string) => string;
}

/** Reports repeated ids. Skips blank ones, which are reported elsewhere. */
export function checkUnique(
  ids: readonly string[],
  { file, list, what, toMessage }: IdList,
  findings: Findings,
): void {
  const seen = new Set<string>();
  for (const [index, id] of ids.entries()) {
    const shown = id.slice(0, 80);
    if (id !== '' && seen.has(id))
      findings.add('DUPLICATE_ID', {
        file,
        pointer: `${list}/${index}/id`,
        message: toMessage?.(shown) ?? `the ${what} id "${shown}" is used twice`,
        fix: `Give each ${what} a unique id.`,
      });
    seen.add(id);
  }
}

/** Whether the package has a file that bmad.json names; adds a finding if not. */
export function requireFile(
  path: string,
  pointer: string,
  { paths }: PackageFiles,
  findings: Findings,
): boolean {
  if (paths.has(path)) return true;
  // A path is blank because its document was rejected, which is already reported.
  if (path !== '' || !findings.hasErrors)
    findings.add('MISSING_FILE', {
      file: 'bmad.json',
      pointer,
      message: `the file "${printable(path)}" is not in the package`,
      fix: fixMissingFile(path, paths),
    });
  return false;
}

/** At most six members of a circle. */
export function describeCycle(ids: readonly string[], what: string): string {
  const shown = ids.slice(0, 6).map((id) => id.slice(0, 80));
  return [...shown, ids.length > 6 ? `… (${ids.length} ${what})` : shown[0]].join(' → ');
}

const foldedPaths = new WeakMap<ReadonlySet<string>, ReadonlyMap<string, string>>();

/** How to correct the path of a file that is not in the package. */
export function fixMissingFile(path: string, paths: ReadonlySet<string>): string {
  // Folded once per package, because a hostile one names thousands of missing files.
  const folded = foldedPaths.get(paths) ?? new Map([...paths].map((known) => [fold(known), known]));
  foldedPaths.set(paths, folded);
  const found = folded.get(fold(path));
  if (found === undefined)
    return 'Add the file, or correct the path; paths start at the root of the package.';
  return path.includes('\\')
    ? `Write "${found}": paths are written with "/".`
    : `Did you mean "${found}"? Upper and lower case are different.`;
}

function fold(path: string): string {
  return path.replaceAll('\\', '/').toLowerCase();
}

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
