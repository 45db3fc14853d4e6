/**
 * Checks which declared outputs of a node exist. `{variable}` in a path is replaced by the run's variable.
 */
import { CrewError } from '../../base/crew-error.ts';
import type { MountedFs } from '../../mounts/mounted-fs.ts';
import { fillVariables, type PathVariables, unfilledNames } from '../../mounts/path-template.ts';
import { resolvePath } from '../../mounts/resolve-path.ts';

/** Paths of missing outputs, with variables filled in. An output with an unknown variable is not checked. */
export async function findMissingOutputs(
  outputs: readonly string[],
  variables: PathVariables,
  files: MountedFs,
): Promise<string[]> {
  const missing: string[] = [];
  for (const output of outputs) {
    const path = fillVariables(output, variables);
    if (unfilledNames(path).length === 0 && !(await isWritten(path, files))) missing.push(path);
  }
  return missing;
}

async function isWritten(path: string, files: MountedFs): Promise<boolean> {
  const parsed = resolvePath(path);
  if (!parsed.ok) return false;
  try {
    return await files.withFile(parsed.path, async () => true);
  } catch (error) {
    if (error instanceof CrewError) throw error;
    // Missing, a folder, or inaccessible: not a written output.
    return false;
  }
}
