/**
 * Validates the project documents that a person gives to a new run: each must be a file that the run's tools may
 * read. Only their paths are passed on; the model reads what it needs.
 */
import { toPlainText } from '@crewagent/protocol/plain-text';
import { CrewError } from '../base/crew-error.ts';
import { errnoOf, errnoSentence } from '../base/errno.ts';
import { formatMountPath } from '../mounts/mount-path.ts';
import type { MountedFs } from '../mounts/mounted-fs.ts';
import { resolvePath } from '../mounts/resolve-path.ts';
import { SandboxViolation } from '../mounts/sandbox-violation.ts';

/** Returns their mount paths without duplicates. */
export async function requireDocuments(written: readonly string[], files: MountedFs): Promise<string[]> {
  const paths = new Set<string>();
  for (const text of written) paths.add(await requireDocument(text, files));
  return [...paths];
}

async function requireDocument(text: string, files: MountedFs): Promise<string> {
  const parsed = resolvePath(text);
  if (!parsed.ok) throw new CrewError('PermissionDenied', parsed.reason);
  const path = formatMountPath(parsed.path);
  if (parsed.path.mount !== '@project')
    throw new CrewError(
      'PermissionDenied',
      `The document "${path}" is not in the project. Choose a file of the project.`,
    );
  try {
    await files.withFile(parsed.path, () => Promise.resolve());
    return path;
  } catch (error) {
    throw toDocumentError(error, toPlainText(path));
  }
}

function toDocumentError(error: unknown, path: string): unknown {
  if (error instanceof SandboxViolation)
    return new CrewError('PermissionDenied', `The document "${path}" ${error.message}. Choose another file.`);
  switch (errnoOf(error)) {
    case undefined:
      return error;
    case 'ENOENT':
    case 'ENOTDIR':
      return new CrewError(
        'FILE_NOT_FOUND',
        `The document "${path}" does not exist. Create it, or remove it from the list.`,
      );
    case 'EISDIR':
      return new CrewError('USAGE', `The document "${path}" is a folder. Choose files in it.`);
    default:
      return new CrewError('DISK', `The document "${path}" could not be read: ${errnoSentence(error)}.`, {
        cause: error,
      });
  }
}
