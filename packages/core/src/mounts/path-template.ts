/**
 * Templates in paths: roots named by packages (`{project-root}/docs`, at the start only) and variables of a run
 * (`{planning_artifacts}/prd.md`, `report-{{date}}.md`, anywhere). Pure.
 */
const ROOTS: Readonly<Record<string, string>> = {
  'project-root': '@project',
  'package-root': '@pkg',
  'state-root': '@state',
};

/** Replaces the root; undefined if the root is unknown. Other braces are literal. */
export function expandTemplate(path: string, artifactsDir: string): string | undefined {
  const match = /^\{([a-z]+-root)\}(?=\/|$)/.exec(path);
  if (!match) return /^\{[a-z-]*root\}/.test(path) ? undefined : path;
  const [template, name = ''] = match;
  const root = name === 'artifacts-root' ? `@project/${artifactsDir}` : ROOTS[name];
  return root === undefined ? undefined : root + path.slice(template.length);
}

export type PathVariables = Readonly<Record<string, unknown>>;

const BRACES = /\{\{\s*([A-Za-z_][\w-]*)\s*\}\}|\{([A-Za-z_][\w-]*)\}/g;
/** A variable may contain others; this limit ends cycles. */
const MAX_NESTING = 4;
const MAX_FILLED_CHARS = 8_192;

/** Braces whose variable is unset or empty are not replaced. */
export function fillVariables(path: string, variables: PathVariables): string {
  let filled = path;
  for (let round = 0; round < MAX_NESTING; round++) {
    const next = filled.replace(
      BRACES,
      (whole, double?: string, single?: string) => toText(variables, double ?? single ?? '') ?? whole,
    );
    if (next === filled || next.length > MAX_FILLED_CHARS) break;
    filled = next;
  }
  return filled;
}

/** Names in braces that were not filled, except roots. */
export function unfilledNames(path: string): string[] {
  const names = [...path.matchAll(BRACES)].map(([, double, single]) => double ?? single ?? '');
  return [...new Set(names.filter((name) => !/^[a-z]+-root$/.test(name)))];
}

/** Names for which `fillVariables` has a value. */
export function fillableNames(variables: PathVariables): string[] {
  return Object.keys(variables).filter((name) => toText(variables, name) !== undefined);
}

function toText(variables: PathVariables, name: string): string | undefined {
  const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
  return (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : undefined;
}
