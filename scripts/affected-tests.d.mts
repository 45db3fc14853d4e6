export function chooseTests(
  changed?: readonly string[],
  importers?: ReadonlyMap<string, readonly string[]>,
): { readonly node: readonly string[]; readonly web: readonly string[]; readonly others: number };
