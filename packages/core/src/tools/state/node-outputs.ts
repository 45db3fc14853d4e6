/**
 * Checks what a node declares to leave behind: outputs that exist and are of this run, and variables that are set. `{variable}` in
 * a path is replaced by the run's variable.
 */
import type { ToolError } from '@crewagent/protocol/tools';
import { CrewError } from '../../base/crew-error.ts';
import { unlessEmpty } from '../../base/optional-fields.ts';
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

export function toMissingNote(nodeId: string, path: string): string {
  return `"${nodeId}" was left without its declared output ${path}.`;
}

/** For a node that is left all the same. */
export function toNotes(nodeId: string, { missing, kept, early, unset }: ResultIssues): string[] {
  const left = `"${nodeId}" was left`;
  return [
    ...missing.map((path) => toMissingNote(nodeId, path)),
    ...kept.map((path) => `${left} with ${path} as it was before this run.`),
    ...early.map((path) => `${left} with ${path} as it was written before this step was seen.`),
    ...unset.map((name) => `${left} without setting the variable ${name}.`),
  ];
}

export function toMissingError(
  nodeId: string,
  { missing, kept, early, unset }: ResultIssues,
  isStrict: boolean,
): ToolError {
  const one = kept.length === 1;
  const it = one ? 'it' : 'them';
  const message = [
    `"${nodeId}" declares outputs that do not exist: ${missing.join(', ')}. Write the missing outputs, then move on.`,
    `This run has not written ${kept.join(', ')}, which ${one ? 'is' : 'are'} from before it. Write ${it}, or name ${it} in \`artifacts\` if the content is still right.`,
    `${early.join(', ')} was written before this step was seen, so it does not count. Write it as this step says.`,
    `"${nodeId}" declares variables that are not set: ${unset.join(', ')}. Set them in \`variables\`.`,
  ].filter((_, index) => [missing, kept, early, unset][index]?.length);
  if (!isStrict)
    message.push(
      'If something of this is not needed, make the same move again: the user will see that it is missing.',
    );
  return {
    code: 'E_OUTPUTS_MISSING',
    message: message.join(' '),
    details: {
      outputsMissing: missing,
      outputsKept: unlessEmpty(kept),
      outputsEarly: unlessEmpty(early),
      variablesUnset: unlessEmpty(unset),
    },
  };
}
