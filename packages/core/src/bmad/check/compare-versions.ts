/** Order of the versions of packages and of the runtime. Pure. */

/** Compares the three numbers only; an invalid version counts as old enough. */
export function compareVersions(left: string, right: string): number {
  // Not with `localeCompare`, which loads tables for all languages: 10 ms, in every run of an installed package.
  const [one, other] = [toNumbers(left), toNumbers(right)];
  return one.map((number, index) => number - (other[index] ?? 0)).find((order) => order !== 0) ?? 0;
}

/** 1.2 is 1.2.0. */
function toNumbers(version: string): number[] {
  const [major = 0, minor = 0, patch = 0] =
    /^\d+(?:\.\d+){0,2}/.exec(version)?.[0].split('.').map(Number) ?? [];
  return [major, minor, patch];
}
