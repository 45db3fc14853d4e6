/** Everything that is stored for a user: Works behind their port, and the paths of all else. */
import type { StorePaths } from './disk/layout.ts';
import type { WorkStore } from './work-store.ts';

export interface Store extends StorePaths {
  readonly works: WorkStore;
}
