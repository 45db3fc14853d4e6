/**
 * The one name that is refused as a key of anything a model or a person writes. Assigning it changes an object's prototype,
 * and libraries drop it silently; every other name, `constructor` included, is data.
 */
export const RESERVED_KEY = '__proto__';

/** The path of the first object that has it, the key included; `root` must not be nested without end. */
export function findReservedKey(root: unknown): PropertyKey[] | undefined {
  if (typeof root !== 'object' || root === null) return undefined;
  if (Object.hasOwn(root, RESERVED_KEY)) return [RESERVED_KEY];
  for (const [key, value] of Object.entries(root)) {
    const path = findReservedKey(value);
    if (path) return [key, ...path];
  }
  return undefined;
}
