/**
 * Copies of the newest version of each project, for readers of this process. Readers watch the folders, so a copy that is there follows its
 * project, whoever adds a version.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { withDiskErrors } from '@crewagent/core';
import type { ProjectParts } from './change-project.ts';
import { type FolderCopy, openFolderCopy, syncFolder } from './folder-copy.ts';
import { parseSource } from './project-source.ts';
import type { Tree } from './project-tree.ts';
import { PROJECTS_CHANNEL } from './project-versions.ts';

interface HeadCopy {
  readonly copy: FolderCopy;
  readonly version: number;
  readonly tree: Tree;
}

export function createHeadCopies({ database, blobs, versions }: ProjectParts, scratch: string) {
  const heads = new Map<string, Promise<HeadCopy>>();
  const refreshing = new Set<Promise<unknown>>();
  let unfollow: (() => void) | undefined;

  const follow = (): void => {
    unfollow ??= database.notices.subscribe(PROJECTS_CHANNEL, (changed) => {
      for (const projectId of heads.keys()) {
        if (changed !== undefined && changed !== projectId) continue;
        // The next reader gets the error.
        const task: Promise<unknown> = read(projectId)
          .catch(() => undefined)
          .finally(() => refreshing.delete(task));
        refreshing.add(task);
      }
    });
  };

  const refresh = async (
    projectId: string,
    version: number,
    known: HeadCopy | undefined,
  ): Promise<HeadCopy> => {
    const home = join(scratch, projectId);
    const tree = await versions.treeAt(projectId, version);
    return withDiskErrors('Could not copy the project', async () => {
      await mkdir(home, { recursive: true, mode: 0o700 });
      const copy = known?.copy ?? (await openFolderCopy(home));
      await syncFolder(copy, tree, { blobs, isReadOnly: true, since: known?.tree });
      return { copy, version, tree };
    });
  };
  /** The folder, refreshed if there is a newer version. */
  const read = async (projectId: string): Promise<string> => {
    const { head, source } = await versions.readHead(projectId);
    const place = parseSource(source);
    if (place.kind === 'folder') return place.path;
    for (;;) {
      const last = heads.get(projectId);
      const known = await last?.catch(() => undefined);
      if (known && known.version >= head) return known.copy.folder;
      // Another reader may have begun meanwhile.
      if (heads.get(projectId) !== last) continue;
      const next = refresh(projectId, head, known);
      heads.set(projectId, next);
      follow();
      await next;
    }
  };
  return {
    read,
    /** Copies follow no longer, and nothing is written when this resolves. */
    async close(): Promise<void> {
      unfollow?.();
      await Promise.all(refreshing);
    },
  };
}
