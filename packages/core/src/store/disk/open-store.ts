/** The store of a user on disk. */
import type { Store } from '../store.ts';
import { createDiskWorks } from './disk-works.ts';
import { createStoreLayout, type StoreLayout } from './layout.ts';

/** With the paths of Works, for what knows that they are files. */
export interface DiskStore extends Store, StoreLayout {}

export function openDiskStore(root: string): DiskStore {
  const layout = createStoreLayout(root);
  return { ...layout, works: createDiskWorks(layout) };
}
