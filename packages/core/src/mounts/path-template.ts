/**
 * The path templates of packages: `{project-root}/docs` and the like, at the start of a path only. Pure.
 */
const ROOTS: Readonly<Record<string, string>> = {
  'project-root': '@project',
  'package-root': '@pkg',
  'state-root': '@state',
};

/** The path with its template replaced; undefined for a template in front that is not known. Other braces are plain text. */
export function expandTemplate(path: string, artifactsDir: string): string | undefined {
  const match = /^\{([a-z]+-root)\}(?=\/|$)/.exec(path);
  if (!match) return /^\{[a-z-]*root\}/.test(path) ? undefined : path;
  const [template, name = ''] = match;
  const root = name === 'artifacts-root' ? `@project/${artifactsDir}` : ROOTS[name];
  return root === undefined ? undefined : root + path.slice(template.length);
}
