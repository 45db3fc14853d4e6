/**
 * The fact about a file that consent to a write is bound to.
 */
import type { FileFact, RunsLater } from '@crewagent/protocol/tools';
import { sha256Of } from '../../base/sha256.ts';
import type { FileIdentity } from '../../mounts/file-identity.ts';
import { formatMountPath, type MountPath } from '../../mounts/mount-path.ts';
import { findRunner } from './files-that-run.ts';
import type { CurrentFile } from './write-request.ts';

/** `path`: with links resolved; `file`: undefined if there is none. The file keeps its permissions. */
export function toFileFact(path: MountPath, file: CurrentFile | undefined, content: Buffer): FileFact {
  const runsLater = runnerOf(path, file?.mode);
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
export function runnerOf({ mount, segments }: MountPath, mode: number | undefined): RunsLater | undefined {
  return mount === '@project' ? findRunner(segments, mode) : undefined;
}
