/**
 * Puts what a command changed into the journal, so that it can be undone like a change of a file tool. Without a person's consent
 * to this very command, changes to files that run later are taken back.
 */

import { errnoOf } from '../base/errno.ts';
import { removeTree } from '../base/remove-tree.ts';
import { stagingName } from '../base/staging.ts';
import type { MountedFs } from '../mounts/mounted-fs.ts';
import { SandboxViolation } from '../mounts/sandbox-violation.ts';
import { findRunner } from '../mounts/sensitive/runs-later.ts';
import {
  compareSnapshots,
  type FileChange,
  type ProjectSnapshot,
  toProjectPath,
} from './project-snapshot.ts';

export interface ChangeLog {
  begin(change: {
    callId: string;
    nodeId: string | undefined;
    path: string;
    before: Buffer | undefined;
    after: Buffer | undefined;
    mode: number | undefined;
  }): Promise<{ done(): Promise<void> }>;
}

export interface RecordOptions {
  readonly files: MountedFs;
  readonly journal: ChangeLog;
  readonly callId: string;
  readonly nodeId: string | undefined;
  /** Whether files that run later may be changed. */
  readonly mayChangeProtected: boolean;
}

export interface RecordedChanges {
  readonly changed: readonly { readonly path: string; readonly kind: FileChange['kind'] }[];
  /** How many more there are than are listed. */
  readonly more: number;
  /** Sentences for the model and for people. */
  readonly notes: readonly string[];
}

const MAX_LISTED = 100;
const MAX_RECORDED = 1_000;

export async function recordChanges(
  before: ProjectSnapshot,
  after: ProjectSnapshot,
  options: RecordOptions,
): Promise<RecordedChanges> {
  const { files, journal, callId, nodeId, mayChangeProtected } = options;
  const kept: FileChange[] = [];
  const unrecorded: string[] = [];
  const restored: string[] = [];
  const notRestored: string[] = [];
  for (const change of compareSnapshots(before, after)) {
    const isProtected =
      !mayChangeProtected &&
      findRunner({ segments: change.path.split('/'), content: change.after }) !== undefined;
    if (isProtected && (await restore(files, change))) restored.push(change.path);
    else {
      if (isProtected) notRestored.push(change.path);
      kept.push(change);
    }
  }
  for (const [index, change] of kept.entries()) {
    if (!change.isRecorded || index >= MAX_RECORDED) unrecorded.push(change.path);
    else {
      const { before: old, after: now, mode } = change;
      const path = `@project/${change.path}`;
      const begun = await journal.begin({ callId, nodeId, path, before: old, after: now, mode });
      await begun.done();
    }
  }
  const newGit = mayChangeProtected
    ? []
    : after.gitFolders.filter((path) => !before.gitFolders.includes(path));
  for (const path of newGit)
    await files.withFolder(toProjectPath(path.split('/').slice(0, -1)), (folder) =>
      removeTree(`${folder}/${path.split('/').at(-1)}`),
    );
  return {
    changed: kept.slice(0, MAX_LISTED).map(({ path, kind }) => ({ path: `@project/${path}`, kind })),
    more: Math.max(0, kept.length - MAX_LISTED),
    notes: [
      ...sentence(
        [...restored, ...newGit],
        'Restored, because other programs run them (set changesProtected if the command must change them)',
      ),
      ...sentence(notRestored, 'Changed, although other programs run them, and could not be restored'),
      ...sentence(unrecorded, 'Changed, and cannot be undone'),
      ...(before.isComplete && after.isComplete
        ? []
        : [
            'The project has too many files to compare: other changes were not noticed and cannot be undone.',
          ]),
    ],
  };
}

const MAX_NAMED = 10;

function sentence(paths: readonly string[], what: string): string[] {
  if (paths.length === 0) return [];
  const named = paths.slice(0, MAX_NAMED).join(', ');
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : '';
  return [`${what}: ${named}${more}.`];
}

/** False if the old content is not known, or the file cannot be written. */
async function restore(files: MountedFs, { path, kind, before, mode }: FileChange): Promise<boolean> {
  try {
    const target = files.resolve(toProjectPath(path.split('/')), 'write');
    if (target.segments.join('/') !== path) return false;
    if (kind === 'created') await files.remove(target);
    else if (before) {
      const options = { tempName: stagingName('writing'), ...(mode === undefined ? {} : { mode }) };
      await files.replace(target, before, options);
    } else return false;
    return true;
  } catch (error) {
    if (errnoOf(error) === undefined && !(error instanceof SandboxViolation)) throw error;
    return false;
  }
}
