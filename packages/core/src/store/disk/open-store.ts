/** The store of a user on disk. */
import type { Store } from '../store.ts';
import { createDiskWorks } from './disk-works.ts';
import { createStoreLayout, type StoreLayout } from './layout.ts';
import { type OnWait, toUserStore } from './open-user-store.ts';

/** Includes the paths, for code that knows about the files. */
export type DiskStore = Store & Omit<StoreLayout, keyof Store>;

export function openDiskStore(
  root: string,
  onWait?: OnWait,
  env?: Parameters<typeof toUserStore>[2],
): DiskStore {
  const layout = createStoreLayout(root);
  const user = toUserStore(layout, onWait, env);
  return {
    ...layout,
    ...user,
    works: createDiskWorks(layout),
    async clearProject(projectId) {
      const { clearProject } = await import('./forget-project.ts');
      return clearProject(layout, user.projects, projectId);
    },
    async forgetProject(projectId) {
      const { forgetProject } = await import('./forget-project.ts');
      return forgetProject(layout, user.projects, projectId);
    },
    async measure() {
      const { measureStore } = await import('./measure-store.ts');
      return measureStore(layout, await user.projects.list());
    },
    async probe() {
      const { probeStore } = await import('./measure-store.ts');
      return probeStore(root);
    },
  };
}
