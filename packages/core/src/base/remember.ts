/** Remembers the results of a pure function for the keys that were asked about last. */

/** The returned function computes a result only if it does not remember one. Results are shared: do not modify them. */
export function remember<Result>(count: number): (key: string, toResult: () => Result) => Result {
  const known = new Map<string, Result>();
  return (key, toResult) => {
    const result = known.get(key) ?? toResult();
    // Maps are ordered by insertion: the first entry is the one that was unused for longest.
    known.delete(key);
    known.set(key, result);
    const { value: oldest } = known.keys().next();
    if (known.size > count && oldest !== undefined) known.delete(oldest);
    return result;
  };
}
