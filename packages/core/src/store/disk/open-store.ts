/** The store of a user on disk. */
import type { Store } from '../store.ts';
import { createDiskWorks } from './disk-works.ts';
import { createStoreLayout, type StoreLayout } from './layout.ts';

/** Includes the paths of Works, for code that knows about their files. */
export interface DiskStore extends Store, StoreLayout {}

export function openDiskStore(root: string): DiskStore {
  const layout = createStoreLayout(root);
  return { ...layout, works: createDiskWorks(layout) };
}
