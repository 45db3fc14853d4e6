/** Whether two JSON-like values are equal, regardless of key order. A key without a value counts as absent, as in JSON. */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (!Array.isArray(a) && !Array.isArray(b)) return isSameMap(a as Fields, b as Fields);
  return Array.isArray(a) && Array.isArray(b) && isSameList(a, b);
}

type Fields = Readonly<Record<string, unknown>>;

function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => isSameValue(item, b[index]));
}

function isSameMap(a: Fields, b: Fields): boolean {
  const keys = keysOf(a);
  return (
    keys.length === keysOf(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSameValue(a[key], b[key]))
  );
}

function keysOf(fields: Fields): string[] {
  return Object.keys(fields).filter((key) => fields[key] !== undefined);
}
