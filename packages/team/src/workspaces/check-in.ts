/**
 * Merges what a tree of Works changed into its project: in one transaction the project gets a version, and the workspace starts from it.
 * The claim is compared, so that a worker that lost it stores nothing.
 */
import { ConnectionLost, type Queries } from '../database/database.ts';
import type { WorkspaceEntry } from '../works/journal-storage.ts';
import { leaseLost } from '../works/leases.ts';
import { type CheckIn, changeProject, type ProjectParts } from './change-project.ts';
import { addConflicts } from './conflicts.ts';
import { storeContents } from './folder-changes.ts';
import { type Changes, isSameEntry, toProjectEntry } from './project-entry.ts';
import { applyChanges, isGitData, type Tree } from './project-tree.ts';

/** The right of a worker to advance a tree of Works. */
export interface TreeClaim {
  readonly rootId: string;
  readonly epoch: string;
}

export interface WorkspaceRow {
  readonly rootId: string;
  readonly projectId: string;
  /** The version that the folder was checked out from. */
  readonly base: number;
  readonly folder: string;
}

const MOUNT = '@project/';

export interface WorkspaceChanges {
  /** As stored, to delete exactly what was checked in. */
  readonly rows: readonly { readonly path: string; readonly entry: string | null }[];
  readonly changes: Changes;
  /** Of repositories that programs made: part of this workspace only. */
  readonly gitData: Changes;
}

/** `base`: the version that the workspace started from. */
export async function readWorkspaceChanges(
  { read }: Queries,
  rootId: string,
  base: Tree,
): Promise<WorkspaceChanges> {
  const stored = await read<{ path: string; entry: string | null }>(
    'select path, entry from workspace_files where root_id = $1 order by path',
    [rootId],
  );
  const all = stored.map(({ path, entry }) => {
    const name = path.slice(MOUNT.length);
    const parsed = entry === null ? undefined : (JSON.parse(entry) as WorkspaceEntry);
    return { name, row: { path, entry }, entry: parsed && toProjectEntry(parsed, base.get(name)) };
  });
  const toMap = (some: typeof all): Changes => new Map(some.map(({ name, entry }) => [name, entry]));
  const own = all.filter(({ name }) => !isGitData(name));
  return {
    rows: own.map(({ row }) => row),
    changes: toMap(own),
    gitData: toMap(all.filter(({ name }) => isGitData(name))),
  };
}

export interface CheckedIn extends CheckIn {
  /** What was checked in. */
  readonly changes: Changes;
}

export async function checkInWorkspace(
  parts: ProjectParts,
  { rootId, projectId, base, folder }: WorkspaceRow,
  claim: TreeClaim,
): Promise<CheckedIn> {
  const { database, blobs, versions } = parts;
  const baseTree = await versions.treeAt(projectId, base);
  let last: CheckedIn | undefined;
  for (;;) {
    const { rows, changes } = await readWorkspaceChanges(database, rootId, baseTree);
    if (rows.length === 0 && (await versions.readHead(projectId)).head === base)
      return { version: base, merged: [], conflicts: [], changes };
    // A transaction that was cut off has happened if its rows are gone.
    if (last && rows.length === 0) return last;
    // A journal leaves out contents that are very large.
    await storeContents(folder, changes, blobs);
    try {
      const added = await changeProject(parts, {
        projectId,
        rootId,
        base: baseTree,
        ours: changes,
        madeBy: rootId,
        async store(queries, added) {
          last = { ...added, changes };
          await requireClaim(queries, claim);
          if (!(await removeRows(queries, rootId, rows))) throw new ChangedRows();
          await addConflicts(queries, { projectId, rootId }, added.conflicts);
          await queries.write('update workspaces set base_version = $2 where root_id = $1', [
            rootId,
            added.version,
          ]);
        },
      });
      return { ...added, changes };
    } catch (error) {
      if (!(error instanceof ConnectionLost || error instanceof ChangedRows)) throw error;
    }
  }
}

/** Whether a check-in leaves a folder that has these changes as it is. */
export async function isFolderCurrent(
  { versions }: ProjectParts,
  { projectId, base }: WorkspaceRow,
  { changes, version }: CheckedIn,
): Promise<boolean> {
  const had = applyChanges(await versions.treeAt(projectId, base), changes);
  const now = await versions.treeAt(projectId, version);
  if (had.size !== now.size) return false;
  for (const [path, entry] of had) if (!isSameEntry(entry, now.get(path))) return false;
  return true;
}

/** The Work changed files after they were read. */
class ChangedRows extends Error {}

async function requireClaim({ write }: Queries, { rootId, epoch }: TreeClaim): Promise<void> {
  const held = await write('select from claims where root_id = $1 and epoch = $2 for share', [rootId, epoch]);
  if (held.length === 0) throw leaseLost();
}

/** False if any of them has another entry by now. */
async function removeRows(
  { write }: Queries,
  rootId: string,
  rows: WorkspaceChanges['rows'],
): Promise<boolean> {
  const removed = await write(
    `delete from workspace_files using unnest($2::text[], $3::text[]) as given (path, entry)
     where root_id = $1 and workspace_files.path = given.path
       and workspace_files.entry is not distinct from given.entry
     returning 1`,
    [rootId, rows.map(({ path }) => path), rows.map(({ entry }) => entry)],
  );
  return removed.length === rows.length;
}
