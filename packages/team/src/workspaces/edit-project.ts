/** A person's change of a project: made in a copy of the newest version, and merged if others changed the project meanwhile. */
import { CrewError, withDiskErrors } from '@crewagent/core';
import { ConnectionLost } from '../database/database.ts';
import { changeProject, type ProjectParts } from './change-project.ts';
import type { Copies } from './copies.ts';
import { storeFolderChanges } from './folder-changes.ts';
import { type FolderCopy, syncFolder } from './folder-copy.ts';
import type { Conflict } from './merge-changes.ts';
import { parseSource } from './project-source.ts';
import { requirePaths, type Tree } from './project-tree.ts';

interface ProjectEdit {
  readonly projectId: string;
  /** The person. */
  readonly by: string;
}

export async function editProject<T>(
  parts: ProjectParts & { readonly copies: Copies },
  edit: ProjectEdit,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const { versions, blobs, copies } = parts;
  const { projectId } = edit;
  const { head, source } = await versions.readHead(projectId);
  const place = parseSource(source);
  if (place.kind === 'folder') return work(place.path);
  const copy = await copies.take(projectId, '');
  try {
    const tree = await versions.treeAt(projectId, head);
    await withDiskErrors('Could not copy the project', () => syncFolder(copy, tree, { blobs }));
    const result = await work(copy.folder);
    await storeEdit(parts, edit, copy, tree);
    return result;
  } finally {
    await copies.giveBack(copy, projectId, '');
  }
}

/** `tree`: what the copy had. */
async function storeEdit(
  parts: ProjectParts,
  { projectId, by }: ProjectEdit,
  copy: FolderCopy,
  tree: Tree,
): Promise<void> {
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
