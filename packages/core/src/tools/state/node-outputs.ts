/**
 * Checks what a node declares to leave behind: outputs that exist and are of this run, and variables that are set. `{variable}` in
 * a path is replaced by the run's variable.
 */
import { CrewError } from '../../base/crew-error.ts';
import { formatMountPath, type MountPath } from '../../mounts/mount-path.ts';
import type { MountedFs } from '../../mounts/mounted-fs.ts';
import { fillVariables, type PathVariables, unfilledNames } from '../../mounts/path-template.ts';
import { resolvePath } from '../../mounts/resolve-path.ts';

export interface DeclaredResults {
  readonly outputs: readonly string[];
  readonly setsVariables: readonly string[];
  /** Variables that any step of the workflow sets. An output whose path needs another one that is unset is not checked. */
  readonly promised?: ReadonlySet<string>;
  /** Whether a file, given by its full mount path, was written only before the model had the step of this node. */
  isEarly?(path: string): boolean;
}

export interface ResultIssues {
  /** Outputs that do not exist, with the known variables filled in. */
  readonly missing: readonly string[];
  /** Outputs from before this run, which neither wrote them nor listed them as its artifacts. */
  readonly kept: readonly string[];
  /** Outputs that were written before the model had the step. */
  readonly early: readonly string[];
  /** Variables that the node should have set. */
  readonly unset: readonly string[];
}

export async function findResultIssues(
  { outputs, setsVariables, promised, isEarly }: DeclaredResults,
  {
    variables,
    artifacts,
    wasWritten,
  }: {
    readonly variables: PathVariables;
    readonly artifacts: readonly string[];
    /** Whether this run wrote a file, given by its full mount path. */
    wasWritten(path: string): boolean;
  },
  files: MountedFs,
): Promise<ResultIssues> {
  const missing: string[] = [];
  const kept: string[] = [];
  const early: string[] = [];
  for (const output of outputs) {
    const path = fillVariables(output, variables);
    const unfilled = unfilledNames(path);
    if (unfilled.length > 0) {
      if (unfilled.some((name) => promised?.has(name))) missing.push(path);
      continue;
    }
    const parsed = resolvePath(path);
    if (!parsed.ok || !(await isFile(parsed.path, files))) missing.push(path);
    else if (!artifacts.includes(parsed.path.segments.join('/')) && !wasWritten(formatMountPath(parsed.path)))
      kept.push(path);
    else if (isEarly?.(formatMountPath(parsed.path))) early.push(path);
  }
  const unset = setsVariables.filter((name) => (variables[name] ?? null) === null);
  return { missing, kept, early, unset };
}

export function hasIssues({ missing, kept, early, unset }: ResultIssues): boolean {
  return missing.length + kept.length + early.length + unset.length > 0;
}

async function isFile(path: MountPath, files: MountedFs): Promise<boolean> {
  try {
    return await files.withFile(path, async () => true);
  } catch (error) {
    if (error instanceof CrewError) throw error;
    // Missing, a folder, or inaccessible: not a written output.
    return false;
  }
}
