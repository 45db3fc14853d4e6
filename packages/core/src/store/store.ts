/** The store of a user: Works behind the `WorkStore` port, and the paths of everything else. */
import type { StorePaths } from './disk/layout.ts';
import type { WorkStore } from './work-store.ts';

export interface Store extends StorePaths {
  readonly works: WorkStore;
}
