/** Workspaces of trees of Works. All that is open of a tree in this process shares a folder. */
import { withDiskErrors } from '@crewagent/core';
import { createQueue, workNotFound } from '@crewagent/core/store';
import type { Database } from '../database/database.ts';
import type { CheckIn, ProjectParts } from './change-project.ts';
import { checkInWorkspace, isFolderCurrent, readWorkspaceChanges, type TreeClaim } from './check-in.ts';
import type { Copies } from './copies.ts';
import { type FolderCopy, syncFolder } from './folder-copy.ts';
import { parseSource } from './project-source.ts';
import { applyChanges } from './project-tree.ts';

export interface Workspace {
  readonly rootId: string;
  readonly projectId: string;
  /** The real folder that is mounted as `@project`. */
  readonly folder: string;
  /**
   * Merges what the tree has changed into the project: a new version, or none if nothing changed. Then the folder has that version. Nothing
   * may be written to the folder meanwhile. If the claim is lost, nothing is stored.
   */
  checkIn(claim: TreeClaim): Promise<CheckIn>;
  /** The folder is no longer used. It stays for a while for the next check-out. */
  remove(): Promise<void>;
}

interface OpenTree {
  readonly projectId: string;
  readonly opening: Promise<FolderCopy>;
  /** The version that the folder was made from. */
  base: number;
  /** Making the folder equal to `base` failed. */
  isStale: boolean;
  users: number;
  readonly inOrder: ReturnType<typeof createQueue>;
}

export function createTreeWorkspaces(parts: ProjectParts & { readonly copies: Copies }) {
  const { database, blobs, versions, copies } = parts;
  const opened = new Map<string, OpenTree>();

  /** Makes the folder equal to the version that the tree started from, with what the tree has changed. */
  const sync = async (copy: FolderCopy, rootId: string, projectId: string, base: number): Promise<void> => {
    const tree = await versions.treeAt(projectId, base);
    const { changes, gitData } = await readWorkspaceChanges(database, rootId, tree);
    const wanted = applyChanges(applyChanges(tree, changes), gitData);
    await withDiskErrors('Could not copy the project', () => syncFolder(copy, wanted, { blobs }));
  };
  const openCopy = async (rootId: string, projectId: string, base: number): Promise<FolderCopy> => {
    const copy = await copies.take(projectId, rootId);
    try {
      await sync(copy, rootId, projectId, base);
      return copy;
    } catch (error) {
      opened.delete(rootId);
      await copies.giveBack(copy, projectId, rootId);
      throw error;
    }
  };
  const checkIn = async (
    rootId: string,
    tree: OpenTree,
    copy: FolderCopy,
    claim: TreeClaim,
  ): Promise<CheckIn> => {
    const { projectId } = tree;
    const row = { rootId, projectId, base: tree.base, folder: copy.folder };
    const checkedIn = await checkInWorkspace(parts, row, claim);
    const { version, merged, conflicts } = checkedIn;
    tree.base = version;
    tree.isStale ||= !(await isFolderCurrent(parts, row, checkedIn));
    if (tree.isStale) await sync(copy, rootId, projectId, version);
    tree.isStale = false;
    return { version, merged, conflicts };
  };
  const use = async (rootId: string, tree: OpenTree): Promise<Workspace> => {
    tree.users++;
    const copy = await tree.opening;
    let isRemoved = false;
    return {
      rootId,
      projectId: tree.projectId,
      folder: copy.folder,
      checkIn: (claim) => tree.inOrder(() => checkIn(rootId, tree, copy, claim)),
      async remove() {
        if (isRemoved) return;
        isRemoved = true;
        if (--tree.users > 0) return;
        opened.delete(rootId);
        await copies.giveBack(copy, tree.projectId, rootId);
      },
    };
  };

  return async (rootId: string): Promise<Workspace> => {
    const { projectId, base, source } = await openRow(database, rootId);
    if (source.kind === 'folder') return sharedFolder(database, rootId, projectId, source.path);
    const known = opened.get(rootId);
    const tree = known ?? {
      projectId,
      opening: openCopy(rootId, projectId, base),
      base,
      isStale: false,
      users: 0,
      inOrder: createQueue(),
    };
    opened.set(rootId, tree);
    const workspace = await use(rootId, tree);
    // A check-in was stored, and then the disk was full.
    if (tree.isStale)
      await tree.inOrder(async () => {
        await sync(await tree.opening, rootId, projectId, tree.base);
        tree.isStale = false;
      });
    return workspace;
  };
}

/** Made at the first check-out, from the newest version. */
async function openRow(database: Database, rootId: string) {
  const [row] = await database.read<{ project_id: string; base_version: number; source: string }>(
    `with made as (
       insert into workspaces (root_id, project_id, base_version)
       select work_id, project_id, head from works join projects using (project_id)
       where work_id = $1 and root_id = $1
       on conflict (root_id) do nothing
       returning project_id, base_version)
     select project_id, base_version, source
     from (select project_id, base_version from made
           union all select project_id, base_version from workspaces where root_id = $1) as workspace
       join projects using (project_id)`,
    [rootId],
  );
  if (!row) throw workNotFound({ isRun: true });
  return { projectId: row.project_id, base: row.base_version, source: parseSource(row.source) };
}

/** All machines work in the folder itself. */
function sharedFolder(database: Database, rootId: string, projectId: string, folder: string): Workspace {
  return {
    rootId,
    projectId,
    folder,
    async checkIn() {
      await database.read('delete from workspace_files where root_id = $1', [rootId]);
      return { version: 0, merged: [], conflicts: [] };
    },
    remove: () => Promise.resolve(),
  };
}
