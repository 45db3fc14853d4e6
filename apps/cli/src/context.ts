/**
 * What commands need of their surroundings: the store of this user and what validation should know.
 */
import {
  createKnownServers,
  createStoreLayout,
  defaultStoreRoot,
  type StorePaths,
  secureStoreRoot,
  type ValidationContext,
} from '@crewagent/core';
import { VERSION } from '@crewagent/protocol/version';
import { hostProcess } from './host-process.ts';

/** Throws STORE_REFUSED when the folder is not this user's own. */
export function openStore(): StorePaths {
  const root = defaultStoreRoot(hostProcess().env);
  secureStoreRoot(root);
  return createStoreLayout(root);
}

export const validationContext: ValidationContext = {
  runtimeVersion: VERSION,
  knownServers: { has: (name) => createKnownServers(openStore()).has(name) },
};
