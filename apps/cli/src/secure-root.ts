/** The folder of this user's store. Throws STORE_REFUSED if another user owns it, and DISK if it is a file. */
import { defaultStoreRoot, secureStoreRoot } from '@crewagent/core';
import { hostProcess } from './host-process.ts';

export function secureRoot(options?: Parameters<typeof secureStoreRoot>[1]): string {
  const root = defaultStoreRoot(hostProcess().env);
  secureStoreRoot(root, options);
  return root;
}
