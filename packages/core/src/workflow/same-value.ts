/** Whether two JSON-like values are equal, regardless of key order. A key without a value counts as absent, as in JSON. */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const entries = entriesOf(a);
  const others = new Map(entriesOf(b));
  return (
    entries.length === others.size &&
    entries.every(([key, value]) => others.has(key) && isSameValue(value, others.get(key)))
  );
}

function entriesOf(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, inner]) => inner !== undefined);
}
