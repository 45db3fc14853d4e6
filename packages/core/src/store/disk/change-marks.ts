/**
 * Lets processes that share a store notice each other's changes at a cost that does not grow with the store: every writer
 * that adds, replaces or removes a record touches the folder of these records and the folder of all projects. An unchanged
 * modification time means unchanged records. A mark is a hint only: thorough looks find changes that were never marked.
 */
import { stat, utimes } from 'node:fs/promises';
import { errnoOf, withDiskErrors } from '../../base/errno.ts';
import type { StoreLayout } from './layout.ts';

/** `folder`: the runs or the conversations of a project. To be called once the change is made. */
export async function markChange(store: StoreLayout, folder: string): Promise<void> {
  for (const touched of [folder, store.projects]) {
    const now = new Date();
    try {
      await utimes(touched, now, now);
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
    }
  }
}

export interface FolderMark {
  readonly stamp: string;
  /** False while a second change could leave the same time behind. */
  readonly isSettled: boolean;
}

/** The coarsest clock of a file system in use. */
const CLOCK_MS = 2_000;

/** To be read before the content of the folder is. */
export async function readMark(folder: string): Promise<FolderMark> {
  return withDiskErrors('Could not look at a folder of the store', async () => {
    try {
      const { ino, mtimeNs, mtimeMs } = await stat(folder, { bigint: true });
      const ageMs = Date.now() - Number(mtimeMs);
      return { stamp: `${ino}:${mtimeNs}`, isSettled: ageMs > CLOCK_MS };
    } catch (error) {
      if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR')
        return { stamp: 'missing', isSettled: true };
      throw error;
    }
  });
}

/** Whether what was read behind `before` is still all there is. */
export function isUnchanged(before: FolderMark | undefined, now: FolderMark): boolean {
  return before?.isSettled === true && before.stamp === now.stamp;
}
