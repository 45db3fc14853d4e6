/**
 * Which declared outputs of a node exist. A `{variable}` in a path stands for the run's variable of that name.
 */
import { parseMountPath } from '../mounts/mount-path.ts';
import type { MountedFs } from '../mounts/mounted-fs.ts';

type Variables = Readonly<Record<string, unknown>>;

/** The outputs that are not there, variables filled in. Where one is not known, nobody can say which file is meant. */
export async function findMissingOutputs(
  outputs: readonly string[],
  variables: Variables,
  files: MountedFs,
): Promise<string[]> {
  const missing: string[] = [];
  for (const output of outputs) {
    const path = fillVariables(output, variables);
    if (!VARIABLE.test(path) && !(await isThere(path, files))) missing.push(path);
  }
  return missing;
}

const VARIABLE = /\{[A-Za-z_][\w-]*\}/;

/** Braces whose variable is not set, or is empty, stay as they are. */
export function fillVariables(path: string, variables: Variables): string {
  return path.replace(/\{([A-Za-z_][\w-]*)\}/g, (whole, name: string) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : whole;
  });
}

async function isThere(path: string, files: MountedFs): Promise<boolean> {
  const parsed = parseMountPath(path);
  if (!parsed.ok) return false;
  try {
    return await files.withFile(parsed.path, async () => true);
  } catch {
    // Missing, a folder, or not to be looked at: in no case an output that was written.
    return false;
  }
}
