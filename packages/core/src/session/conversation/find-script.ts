/**
 * Finds the file of an `exec` command and rejects a workflow, which cannot be run as a script.
 */
import type { ExecRef } from '@crewagent/protocol/commands';
import { CrewError } from '../../base/crew-error.ts';
import { errnoOf } from '../../base/errno.ts';
import { formatMountPath, type MountPath } from '../../mounts/mount-path.ts';
import type { MountedFs } from '../../mounts/mounted-fs.ts';
import { findFirst } from '../../mounts/resolve-path.ts';
import { SandboxViolation } from '../../mounts/sandbox-violation.ts';
import { readFrontmatter } from '../../workflow/frontmatter.ts';

/** Enough for any frontmatter. */
const HEAD_BYTES = 65_536;

/** Returns the script's mount path. Runnable workflows were recognised when the command was resolved. */
export async function findScript(
  { mdPath: written, otherwise = [] }: Extract<ExecRef, { type: 'markdown' }>,
  files: MountedFs,
): Promise<string> {
  const found = await findFirst([written, ...otherwise], files);
  if (!found.ok) throw new CrewError('PermissionDenied', `"${written}" is not a path on a mount.`);
  const mdPath = formatMountPath(found.path);
  const frontmatter = await readFrontmatter(await readHead(found.path, files));
  if (!frontmatter.ok || !isWorkflow(frontmatter.value)) return mdPath;
  throw new CrewError(
    'UnknownWorkflow',
    `"${mdPath}" is a workflow, and the package has no graph for it; put the graph beside it, or list both in bmad.json.`,
  );
}

async function readHead(path: MountPath, files: MountedFs): Promise<string> {
  const mdPath = formatMountPath(path);
  try {
    return await files.withFile(path, async ({ handle, bytes }) => {
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
      `The script "${mdPath}" cannot be read. Add it to the package or to the project.`,
      { cause: error },
    );
  }
}

function isWorkflow(fields: Readonly<Record<string, unknown>>): boolean {
  return ['schemaVersion', 'workflowType', 'currentNodeId'].every((key) => fields[key] !== undefined);
}
