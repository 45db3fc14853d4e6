/** Fills `{variables}` of a run in a path as an author writes it; unknown ones stay. */
export function fillVariables(path: string, variables: Readonly<Record<string, unknown>>): string {
  return path.replace(/\{([A-Za-z_][\w-]*)\}/g, (whole, name: string) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return typeof value === 'string' || typeof value === 'number' ? String(value) : whole;
  });
}
