/**
 * Copies of projects in the scratch folder of this process. One that is no longer used stays for a while: the next check-out of the same
 * project changes only what differs in it.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '@crewagent/core/store';
import { type FolderCopy, openFolderCopy } from './folder-copy.ts';

interface IdleCopy {
  readonly copy: FolderCopy;
  readonly projectId: string;
  /** The last one that used it. */
  readonly user: string;
}

export type Copies = ReturnType<typeof createCopies>;

/** `maxIdle`: copies that nobody uses. */
export function createCopies(scratch: string, maxIdle: number) {
  const idle: IdleCopy[] = [];
  let loading: Promise<void> | undefined;

  /** Copies of an earlier process with the same scratch folder: their names tell the project. */
  const load = async (): Promise<void> => {
    await mkdir(scratch, { recursive: true, mode: 0o700 });
    for (const name of await readdir(scratch)) {
      const projectId = name.split('_')[0] ?? '';
      idle.push({ copy: await openFolderCopy(join(scratch, name)), projectId, user: '' });
    }
  };
  return {
    /** `user` gets the copy it used before, if that is still there. */
    async take(projectId: string, user: string): Promise<FolderCopy> {
      loading ??= load();
      await loading;
      const ofProject = idle.filter((one) => one.projectId === projectId);
      const found = ofProject.find((one) => one.user === user) ?? ofProject.at(-1);
      if (!found) return openFolderCopy(join(scratch, `${projectId}_${randomUUID()}`));
      idle.splice(idle.indexOf(found), 1);
      return found.copy;
    },
    async giveBack(copy: FolderCopy, projectId: string, user: string): Promise<void> {
      idle.push({ copy, projectId, user });
      for (const { copy: oldest } of idle.splice(0, Math.max(0, idle.length - maxIdle)))
        await removeTree(oldest.home);
    },
  };
}
