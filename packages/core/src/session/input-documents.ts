/**
 * Documents a person hands to a run with its beginning: files of the project that its tools may read. All of them, or a
 * sentence about the one that is none. Only their paths are told; the model reads what it needs.
 */
import { toPlainText } from '@crewagent/protocol/plain-text';
import { CrewError } from '../base/crew-error.ts';
import { errnoOf, errnoSentence } from '../base/errno.ts';
import { formatMountPath } from '../mounts/mount-path.ts';
import type { MountedFs } from '../mounts/mounted-fs.ts';
import { resolvePath } from '../mounts/resolve-path.ts';
import { SandboxViolation } from '../mounts/sandbox-violation.ts';

/** Their mount paths, each once. */
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
      `The document "${path}" is not in the project; name one that is.`,
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
    return new CrewError('PermissionDenied', `The document "${path}" ${error.message}; name another one.`);
  switch (errnoOf(error)) {
    case undefined:
      return error;
    case 'ENOENT':
    case 'ENOTDIR':
      return new CrewError(
        'FILE_NOT_FOUND',
        `The document "${path}" is not there; put it there, or leave it out.`,
      );
    case 'EISDIR':
      return new CrewError('USAGE', `The document "${path}" is a folder; name the files in it.`);
    default:
      return new CrewError('DISK', `The document "${path}" could not be read: ${errnoSentence(error)}.`, {
        cause: error,
      });
  }
}
