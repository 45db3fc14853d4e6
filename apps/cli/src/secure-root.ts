/** The folder of this user's store. Throws STORE_REFUSED if another user owns it. */
import { defaultStoreRoot, secureStoreRoot } from '@crewagent/core';
import { hostProcess } from './host-process.ts';

export function secureRoot(): string {
  const root = defaultStoreRoot(hostProcess().env);
  secureStoreRoot(root);
  return root;
}
