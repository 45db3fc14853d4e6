/**
 * The one key that is rejected in everything a model or a person writes. Assigning it changes an object's prototype, and
 * libraries drop it silently; every other key, including `constructor`, is data.
 */
export const RESERVED_KEY = '__proto__';

/** The path to the first occurrence, including the key itself; `root` must not be cyclic. */
export function findReservedKey(root: unknown): PropertyKey[] | undefined {
  if (typeof root !== 'object' || root === null) return undefined;
  if (Object.hasOwn(root, RESERVED_KEY)) return [RESERVED_KEY];
  for (const [key, value] of Object.entries(root)) {
    const path = findReservedKey(value);
    if (path) return [key, ...path];
  }
  return undefined;
}
