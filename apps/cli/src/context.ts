/**
 * The environment of commands: this user's store and the validation context.
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

/** Throws STORE_REFUSED if another user owns the folder. */
export function openStore(): StorePaths {
  const root = defaultStoreRoot(hostProcess().env);
  secureStoreRoot(root);
  return createStoreLayout(root);
}

export const validationContext: ValidationContext = {
  runtimeVersion: VERSION,
  knownServers: { has: (name) => createKnownServers(openStore()).has(name) },
};
