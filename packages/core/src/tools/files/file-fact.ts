/**
 * The fact about a file that consent to a write is bound to.
 */
import type { FileFact, RunsLater } from '@crewagent/protocol/tools';
import { sha256Of } from '../../base/sha256.ts';
import type { FileIdentity } from '../../mounts/file-identity.ts';
import { formatMountPath, type MountPath } from '../../mounts/mount-path.ts';
import type { CurrentFile, WriteSources } from './write-request.ts';

interface PreparedFile {
  /** With links resolved. */
  readonly path: MountPath;
  /** Undefined if there is none. The file keeps its permissions. */
  readonly file: CurrentFile | undefined;
  readonly content: Buffer;
}

type RunnerSources = Pick<WriteSources, 'files' | 'findRunner'>;

export function toFileFact(prepared: PreparedFile, sources: RunnerSources): FileFact {
  const { path, file, content } = prepared;
  const runsLater = runnerOf(prepared, sources);
  const after = { kind: 'file', sha256: sha256Of(content) } as const;
  return {
    path: formatMountPath(path),
    before: file
      ? { kind: 'file', identity: identityOf(file.identity), mode: file.mode, sha256: file.sha256 }
      : { kind: 'absent' },
    after: file ? { ...after, mode: file.mode } : after,
    ...(runsLater ? { runsLater } : {}),
  };
}

export function identityOf({ device, inode }: Pick<FileIdentity, 'device' | 'inode'>): string {
  return `${device}:${inode}`;
}

/** What would run a file of the project later. */
export function runnerOf(
  { path, file, content }: PreparedFile,
  { files, findRunner }: RunnerSources,
): RunsLater | undefined {
  const { mount, segments } = path;
  if (mount !== '@project') return undefined;
  return findRunner({ segments, mode: file?.mode, content, exists: files.kindOf });
}
