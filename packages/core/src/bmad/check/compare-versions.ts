/** Order of the versions of packages and of the runtime. Pure. */

/** Compares the three numbers only; an invalid version counts as old enough. */
export function compareVersions(left: string, right: string): number {
  // Without its final zeros, since 1.2 is 1.2.0.
  const toNumbers = (text: string): string =>
    (/^\d+(?:\.\d+){0,2}/.exec(text)?.[0] ?? '0').replace(/(?:\.0+)+$/, '');
  return toNumbers(left).localeCompare(toNumbers(right), 'en', { numeric: true });
}
