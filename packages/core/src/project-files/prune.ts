/**
 * Bounds the history of a user's changes to the tree: the oldest changes are removed first.
 */
import type { TreeChanges } from '../store/file-changes.ts';

const MAX_TREE_CHANGES = 500;

/** Removes the oldest changes, and the snapshots of others that exceed `snapshotBytes`. */
export async function pruneTreeChanges(changes: TreeChanges, snapshotBytes: number): Promise<void> {
  let bytes = 0;
  const all = (await changes.list()).toReversed();
  for (const [index, change] of all.entries()) {
    if (index >= MAX_TREE_CHANGES) {
      await changes.drop(change.id);
      continue;
    }
    if (change.kind !== 'removed' || !change.isKept) continue;
    bytes += change.bytes;
    if (bytes > snapshotBytes) await changes.forget(change);
  }
}
