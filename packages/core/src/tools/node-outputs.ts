/**
 * Which declared outputs of a node exist. A `{variable}` in a path stands for the run's variable of that name.
 */
import type { MountedFs } from '../mounts/mounted-fs.ts';
import { fillVariables, type PathVariables, unfilledNames } from '../mounts/path-template.ts';
import { resolvePath } from '../mounts/resolve-path.ts';

/** The outputs that are not there, variables filled in. Where one is not known, nobody can say which file is meant. */
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
  } catch {
    // Missing, a folder, or not to be looked at: in no case an output that was written.
    return false;
  }
}
