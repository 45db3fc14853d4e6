/** Repeated values of a list, each with the index of the repetition. Skips blank values, which are reported elsewhere. */
export function duplicates(values: readonly string[]): { value: string; index: number }[] {
  const seen = new Set<string>();
  return values.flatMap((value, index) => {
    if (value !== '' && seen.has(value)) return [{ value, index }];
    seen.add(value);
    return [];
  });
}
