/**
 * What commands need of their surroundings: the store of this user and what validation should know.
 */
import {
  createStoreLayout,
  defaultStoreRoot,
  type StoreLayout,
  type ValidationContext,
} from '@crewagent/core';
import { VERSION } from '@crewagent/protocol/version';
import { hostProcess } from './host-process.ts';

export function openStore(): StoreLayout {
  return createStoreLayout(defaultStoreRoot(hostProcess().env));
}

export const validationContext: ValidationContext = {
  runtimeVersion: VERSION,
  knownServers: new Set(),
};
