/**
 * Real folders with the files of projects. A tree of Works changes its own copy, which any machine can make again: the version it started
 * from and what it changed since are in the store.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CrewError, withDiskErrors } from '@crewagent/core';
import { createQueue, workNotFound } from '@crewagent/core/store';
import type { Blobs } from '../blobs/blobs.ts';
import { ConnectionLost, type Database } from '../database/database.ts';
import type { Claim } from '../queue/claims.ts';
import { type CheckIn, changeProject, type ProjectParts } from './change-project.ts';
import { checkInWorkspace, readWorkspaceChanges } from './check-in.ts';
import { createCopies } from './copies.ts';
import { storeFolderChanges } from './folder-changes.ts';
import { type FolderCopy, openFolderCopy, syncFolder } from './folder-copy.ts';
import type { Conflict } from './merge-changes.ts';
import { parseSource } from './project-source.ts';
import { applyChanges, PROJECT_LIMITS, type ProjectLimits, requirePaths, type Tree } from './project-tree.ts';
import { createProjectVersions } from './project-versions.ts';

export interface Workspaces {
  /** Copies the project's files, with what the tree of Works changed before and has not checked in, to a folder of this machine. */
  checkOut(rootId: string): Promise<Workspace>;
  /** A read-only copy of the newest version for readers, refreshed when it is not the newest. Shared by readers of this process. */
  readHead(projectId: string): Promise<string>;
  /**
   * A person's change: `work` gets a folder with the newest version; what it changes becomes a new version, merged if another one came
   * meanwhile. Throws FILE_CONFLICT, and stores nothing, if it cannot be merged.
   */
  edit<T>(projectId: string, by: string, work: (folder: string) => Promise<T>): Promise<T>;
}

export interface Workspace {
  readonly rootId: string;
  readonly projectId: string;
  /** The real folder that is mounted as `@project`. */
  readonly folder: string;
  /**
   * Merges what the tree has changed into the project: a new version, or none if nothing changed. Then the folder has that version. Nothing
   * may be written to the folder meanwhile. If the claim is lost, nothing is stored.
   */
  checkIn(claim: Claim): Promise<CheckIn>;
  /** The folder is no longer used. It stays for a while for the next check-out. */
  remove(): Promise<void>;
}

export interface WorkspacesOptions {
  readonly database: Database;
  readonly blobs: Blobs;
  /** Real folder that no other process uses. */
  readonly scratch: string;
  readonly limits?: Partial<ProjectLimits>;
  /** Copies that stay when nobody uses them. */
  readonly maxIdleCopies?: number;
}

interface OpenWorkspace {
  readonly opening: Promise<{ readonly projectId: string; readonly copy: FolderCopy }>;
  /** The version that the folder was made from. */
  base: number;
  /** Making the folder equal to `base` failed, or is under way. */
  isStale: boolean;
  users: number;
  readonly inOrder: ReturnType<typeof createQueue>;
}

export function createWorkspaces(options: WorkspacesOptions): Workspaces {
  const { database, blobs, scratch, maxIdleCopies = 16 } = options;
  const limits = { ...PROJECT_LIMITS, ...options.limits };
  const versions = createProjectVersions(database);
  const parts: ProjectParts = { database, blobs, versions, limits };
  const copies = createCopies(join(scratch, 'copies'), maxIdleCopies);
  const opened = new Map<string, OpenWorkspace>();
  const heads = new Map<string, Promise<{ readonly copy: FolderCopy; readonly version: number }>>();

  /** What the folder of a workspace must have. */
  const syncWorkspace = async (
    copy: FolderCopy,
    rootId: string,
    projectId: string,
    base: number,
  ): Promise<void> => {
    const tree = await versions.treeAt(projectId, base);
    const { changes, gitData } = await readWorkspaceChanges(database, rootId, tree);
    const wanted = applyChanges(applyChanges(tree, changes), gitData);
    await withDiskErrors('Could not copy the project', () => syncFolder(copy, wanted, { blobs }));
  };

  const open = (rootId: string, projectId: string, base: number): OpenWorkspace => {
    const opening = (async () => {
      const copy = await copies.take(projectId, rootId);
      try {
        await syncWorkspace(copy, rootId, projectId, base);
      } catch (error) {
        opened.delete(rootId);
        await copies.giveBack(copy, projectId, rootId);
        throw error;
      }
      return { projectId, copy };
    })();
    return { opening, base, isStale: false, users: 0, inOrder: createQueue() };
  };

  const toWorkspace = async (rootId: string, workspace: OpenWorkspace): Promise<Workspace> => {
    workspace.users++;
    const { projectId, copy } = await workspace.opening;
    const refresh = async (): Promise<void> => {
      await syncWorkspace(copy, rootId, projectId, workspace.base);
      workspace.isStale = false;
    };
    if (workspace.isStale) await workspace.inOrder(refresh);
    let isRemoved = false;
    return {
      rootId,
      projectId,
      folder: copy.folder,
      checkIn: (claim) =>
        workspace.inOrder(async () => {
          const { base } = workspace;
          const result = await checkInWorkspace(
            parts,
            { rootId, projectId, base, folder: copy.folder },
            claim,
          );
          workspace.base = result.version;
          workspace.isStale ||= result.version !== base || result.conflicts.length > 0;
          if (workspace.isStale) await refresh();
          return result;
        }),
      async remove() {
        if (isRemoved) return;
        isRemoved = true;
        if (--workspace.users > 0) return;
        opened.delete(rootId);
        await copies.giveBack(copy, projectId, rootId);
      },
    };
  };

  const refreshHead = async (
    projectId: string,
    version: number,
    before: { readonly copy: FolderCopy } | undefined,
  ) => {
    const home = join(scratch, 'heads', projectId);
    await mkdir(home, { recursive: true, mode: 0o700 });
    const copy = before?.copy ?? (await openFolderCopy(home));
    const tree = await versions.treeAt(projectId, version);
    await withDiskErrors('Could not copy the project', () =>
      syncFolder(copy, tree, { blobs, isReadOnly: true }),
    );
    return { copy, version };
  };

  return {
    async checkOut(rootId) {
      const shared = opened.get(rootId);
      if (shared) return toWorkspace(rootId, shared);
      const { projectId, base, source } = await openRow(database, rootId);
      if (source.kind === 'folder') return sharedFolder(database, rootId, projectId, source.path);
      const workspace = opened.get(rootId) ?? open(rootId, projectId, base);
      opened.set(rootId, workspace);
      return toWorkspace(rootId, workspace);
    },

    async readHead(projectId) {
      const { head, source } = await versions.readHead(projectId);
      const place = parseSource(source);
      if (place.kind === 'folder') return place.path;
      for (;;) {
        const last = heads.get(projectId);
        const known = await last?.catch(() => undefined);
        if (known && known.version >= head) return known.copy.folder;
        // Another reader may have begun meanwhile.
        if (heads.get(projectId) !== last) continue;
        const next = refreshHead(projectId, head, known);
        heads.set(projectId, next);
        await next;
      }
    },

    async edit(projectId, by, work) {
      const { head: base, source } = await versions.readHead(projectId);
      const place = parseSource(source);
      if (place.kind === 'folder') return work(place.path);
      const copy = await copies.take(projectId, '');
      try {
        const tree = await versions.treeAt(projectId, base);
        await withDiskErrors('Could not copy the project', () => syncFolder(copy, tree, { blobs }));
        const result = await work(copy.folder);
        await storeEdit(parts, { projectId, by, copy, tree });
        return result;
      } finally {
        await copies.giveBack(copy, projectId, '');
      }
    },
  };
}

interface Edit {
  readonly projectId: string;
  readonly by: string;
  readonly copy: FolderCopy;
  /** What the copy had. */
  readonly tree: Tree;
}

async function storeEdit(parts: ProjectParts, { projectId, by, copy, tree }: Edit): Promise<void> {
  const ours = await storeFolderChanges(copy, tree, parts.blobs);
  requirePaths(ours);
  const change = { projectId, base: tree, ours, madeBy: by, check: refuseConflicts };
  for (;;)
    try {
      await changeProject(parts, change);
      return;
    } catch (error) {
      // If it was committed, merging again finds nothing to change.
      if (!(error instanceof ConnectionLost)) throw error;
    }
}

function refuseConflicts([conflict]: readonly Conflict[]): void {
  if (!conflict) return;
  const message = `"${conflict.path}" was changed by somebody else meanwhile, or has the name of another file. Reload it and change it again.`;
  throw new CrewError('FILE_CONFLICT', message);
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
