/**
 * Adds a version to a project: changes are merged with the newest version, outside of any transaction, and stored if that is still the
 * newest one; otherwise they are merged again.
 */
import { type Blobs, requireBlob } from '../blobs/blobs.ts';
import type { Database, Queries } from '../database/database.ts';
import { type Conflict, mergeChanges } from './merge-changes.ts';
import type { Changes } from './project-entry.ts';
import { type ProjectLimits, requireLimits, type Tree } from './project-tree.ts';
import { addVersion, type NewVersion, type ProjectVersions } from './project-versions.ts';

export interface ProjectParts {
  readonly database: Database;
  readonly blobs: Blobs;
  readonly versions: ProjectVersions;
  readonly limits: ProjectLimits;
}

export interface ProjectChange extends Omit<NewVersion, 'head' | 'changes'> {
  /** What was changed. */
  readonly base: Tree;
  readonly ours: Changes;
  /** Before anything is stored; throws to refuse. */
  check?(conflicts: readonly Conflict[]): void;
  /** The rest of the transaction; the project is locked. */
  store?(queries: Queries, added: CheckIn): Promise<void>;
}

export interface CheckIn {
  /** The newest version of the project, with the changes. */
  readonly version: number;
  /** Files that others had changed, too, and that were combined. */
  readonly merged: readonly string[];
  readonly conflicts: readonly Conflict[];
}

export async function changeProject(
  { database, blobs, versions, limits }: ProjectParts,
  { base, ours, check, store, ...about }: ProjectChange,
): Promise<CheckIn> {
  for (;;) {
    const { head } = await versions.readHead(about.projectId);
    const theirs = await versions.treeAt(about.projectId, head);
    const merge = await mergeChanges({ base, theirs, ours }, (sha256) => requireBlob(blobs, sha256));
    const { changes, merged, conflicts } = merge;
    check?.(conflicts);
    if (changes.size > 0) requireLimits(merge.tree, limits);
    await blobs.put(merge.contents);
    const added = await database.transaction(async (queries) => {
      const version = await addVersion(queries, { ...about, head, changes });
      if (version === undefined) return undefined;
      await store?.(queries, { version, merged, conflicts });
      return { version, merged, conflicts };
    });
    if (added) return added;
  }
}
