/**
 * The diff of a file that a Work changed: since before its first change, or of one change. Reads the journal and the
 * file without a lock; changes nothing.
 */

import type { FileDiff } from '@crewagent/protocol/api/file-diff';
import type { WorkRecord } from '@crewagent/protocol/work';
import { CrewError } from '../../base/crew-error.ts';
import { errnoOf } from '../../base/errno.ts';
import { toProjectPath } from '../../mounts/mount-path.ts';
import { createMountedFs, type MountedFs } from '../../mounts/mounted-fs.ts';
import { SandboxViolation } from '../../mounts/sandbox-violation.ts';
import { createSecretCheck } from '../../mounts/sensitive/secret-files.ts';
import type { ImageContent } from '../../store/journal.ts';
import { requireFolder } from '../../store/project-store.ts';
import type { Store } from '../../store/store.ts';
import type { WorkAddress } from '../../store/work-address.ts';

export interface FileDiffQuery {
  /** Path as in the list of changes. */
  readonly path: string;
  /** One change only; by default the diff goes up to the current file. */
  readonly change?: number | undefined;
  /** All changes up to this one: the file as it was then. */
  readonly until?: number | undefined;
}

interface Source {
  readonly store: Store;
  readonly record: WorkRecord;
}

const MAX_BYTES = 1024 * 1024;

export async function showFileDiff(
  address: WorkAddress,
  { path, change, until }: FileDiffQuery,
  store: Store,
): Promise<FileDiff> {
  const record = await store.works.read(address);
  const read = (changeId: number | undefined) =>
    store.works.readImages(address, { path, changeId, maxBytes: MAX_BYTES });
  const images = await read(change);
  const last = until === undefined ? images : await read(until);
  if (!images || !last)
    throw new CrewError('FILE_NOT_FOUND', `No change of "${path}" is recorded. Check the list of changes.`);
  const isNow = change === undefined && until === undefined;
  const after = isNow ? await readNow({ store, record }, path) : last.after;
  return { path, ...(await compare(path, images.before, after)) };
}

async function compare(
  path: string,
  before: ImageContent,
  after: ImageContent,
): Promise<Omit<FileDiff, 'path'>> {
  for (const { kind } of [before, after])
    if (kind === 'too-large' || kind === 'not-kept') return { reason: kind };
  const [old, next] = [bytesOf(before), bytesOf(after)];
  if (old === undefined ? next === undefined : next !== undefined && old.equals(next))
    return { reason: 'same' };
  // Loaded lazily: the diff library is large, and most sessions do not need it.
  const { patchOf } = await import('../../tools/files/unified-diff.ts');
  const patch = patchOf(path, old, next);
  return patch.ok ? { diff: patch.text } : { reason: patch.reason };
}

function bytesOf(content: ImageContent): Buffer | undefined {
  return content.kind === 'content' ? content.bytes : undefined;
}

/** The current file, if it may be read. */
async function readNow({ store, record: { projectId, tools } }: Source, path: string): Promise<ImageContent> {
  const { path: project } = await store.projects.read(projectId);
  await requireFolder(project);
  const files: MountedFs = createMountedFs(
    { project, pkg: undefined, state: undefined },
    createSecretCheck(tools.fs.secretPatterns),
  );
  try {
    return await files.withFile(toProjectPath(path), async ({ handle, bytes }) =>
      bytes > MAX_BYTES ? { kind: 'too-large' } : { kind: 'content', bytes: await handle.readFile() },
    );
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(errnoOf(error) ?? '')) return { kind: 'absent' };
    if (error instanceof SandboxViolation)
      throw new CrewError('PermissionDenied', `"${path}" ${error.message}.`);
    throw error;
  }
}
