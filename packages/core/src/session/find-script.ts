/**
 * Looks at the file of an `exec` before anything is done with it: it must be there, and one that is a workflow by its
 * frontmatter is run as one.
 */
import { CrewError } from '../base/crew-error.ts';
import { errnoOf } from '../base/errno.ts';
import type { Workflow, WorkflowPackage } from '../bmad/workflow-package.ts';
import { parseMountPath } from '../mounts/mount-path.ts';
import type { MountedFs } from '../mounts/mounted-fs.ts';
import { SandboxViolation } from '../mounts/sandbox-violation.ts';
import { readFrontmatter } from '../workflow/frontmatter.ts';

/** More than any frontmatter has. */
const HEAD_BYTES = 65_536;

export async function checkScript(
  mdPath: string,
  files: MountedFs,
  loaded: WorkflowPackage,
): Promise<{ readonly workflow: Workflow | undefined }> {
  const frontmatter = await readFrontmatter(await readHead(mdPath, files));
  if (!frontmatter.ok || !isWorkflow(frontmatter.value)) return { workflow: undefined };
  const workflow = loaded.workflows.find(({ workflowPath }) => `@pkg/${workflowPath}` === mdPath);
  if (workflow) return { workflow };
  throw new CrewError(
    'UnknownWorkflow',
    `"${mdPath}" is a workflow, and none that ${loaded.manifest.name} lists; add it to the workflows of its bmad.json.`,
  );
}

async function readHead(mdPath: string, files: MountedFs): Promise<string> {
  const parsed = parseMountPath(mdPath);
  if (!parsed.ok) throw new CrewError('PermissionDenied', `"${mdPath}" is not a path on a mount.`);
  try {
    return await files.withFile(parsed.path, async ({ handle, bytes }) => {
      const head = Buffer.alloc(Math.min(bytes, HEAD_BYTES));
      const read = await handle.read(head, 0);
      return head.subarray(0, read).toString('utf8');
    });
  } catch (error) {
    if (error instanceof SandboxViolation)
      throw new CrewError('PermissionDenied', `The script "${mdPath}" ${error.message}.`, { cause: error });
    if (errnoOf(error) === undefined) throw error;
    throw new CrewError(
      'ValidationFailed',
      `The script "${mdPath}" cannot be read; the package must bring it, or it must be in the project.`,
      { cause: error },
    );
  }
}

function isWorkflow(fields: Readonly<Record<string, unknown>>): boolean {
  return ['schemaVersion', 'workflowType', 'currentNodeId'].every((key) => fields[key] !== undefined);
}
