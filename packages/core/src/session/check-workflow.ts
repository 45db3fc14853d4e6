/**
 * The check before a command starts: its workflow is in the package, and every file of the workflow can be opened.
 * Contents were validated when the package was installed.
 */
import type { WorkflowRef } from '@crewagent/protocol/commands';
import { toPlainText } from '@crewagent/protocol/plain-text';
import { CrewError } from '../base/crew-error.ts';
import { errnoOf } from '../base/errno.ts';
import { toPackagePath, type Workflow, type WorkflowPackage } from '../bmad/check/workflow-package.ts';
import { parseMountPath } from '../mounts/mount-path.ts';
import type { MountedFs } from '../mounts/mounted-fs.ts';
import { SandboxViolation } from '../mounts/sandbox-violation.ts';

export interface PackageInUse {
  readonly files: MountedFs;
  readonly loaded: WorkflowPackage;
}

export async function checkWorkflow({ files, loaded }: PackageInUse, ref: WorkflowRef): Promise<void> {
  const workflow = findWorkflow(loaded, ref);
  if (!workflow)
    throw new CrewError('ValidationFailed', `The command cannot be started: ${describeUnknown(loaded, ref)}`);
  const missing: string[] = [];
  for (const path of filesOf(workflow)) {
    const issue = await findFileIssue(files, path);
    if (issue) missing.push(`${toShown(path)} (${issue})`);
  }
  if (missing.length === 0) return;
  throw new CrewError(
    'ValidationFailed',
    `The workflow "${toShown(workflow.ref)}" cannot be started without ${toList(missing)}; install the package again.`,
  );
}

export function workflowOf(loaded: WorkflowPackage, ref: WorkflowRef): Workflow {
  const workflow = findWorkflow(loaded, ref);
  if (workflow) return workflow;
  throw new CrewError('UnknownWorkflow', describeUnknown(loaded, ref));
}

function findWorkflow({ workflows }: WorkflowPackage, ref: WorkflowRef): Workflow | undefined {
  return ref.type === 'workflowId'
    ? workflows.find((workflow) => workflow.ref === ref.workflowId)
    : workflows.find((workflow) => workflow.workflowPath === toPackagePath(ref.workflowMdPath));
}

function filesOf({ workflowPath, graphPath, nodes }: Workflow): Set<string> {
  return new Set([workflowPath, graphPath, ...[...nodes.values()].map(({ file }) => file)]);
}

async function findFileIssue(
  files: MountedFs,
  path: string,
): Promise<'missing' | 'not readable' | undefined> {
  const parsed = parseMountPath(`@pkg/${path}`);
  if (!parsed.ok) return 'not readable';
  try {
    await files.withFile(parsed.path, () => Promise.resolve());
    return undefined;
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'missing';
    if (code !== undefined || error instanceof SandboxViolation) return 'not readable';
    throw error;
  }
}

const MAX_NAMED = 5;

/** `a, b and 3 more` */
function toList(files: readonly string[]): string {
  const named = files.slice(0, MAX_NAMED);
  const left = files.length - named.length;
  if (left > 0) return `${named.join(', ')} and ${left} more`;
  const last = named.pop() ?? '';
  return named.length === 0 ? last : `${named.join(', ')} and ${last}`;
}

const MAX_KNOWN = 20;

function describeUnknown({ manifest, workflows }: WorkflowPackage, ref: WorkflowRef): string {
  const wanted = ref.type === 'workflowId' ? ref.workflowId : ref.workflowMdPath;
  const known = workflows.slice(0, MAX_KNOWN).map((workflow) => toShown(workflow.ref));
  return `${toShown(manifest.name)} has no workflow "${toShown(wanted)}"; it has ${known.join(', ') || 'none'}.`;
}

function toShown(text: string): string {
  return toPlainText(text).slice(0, 120);
}
