/**
 * Suggests how to correct the path of a file that is not in the package. Pure.
 */

const foldedPaths = new WeakMap<ReadonlySet<string>, ReadonlyMap<string, string>>();

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
