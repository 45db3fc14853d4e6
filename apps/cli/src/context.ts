/** The context in which commands validate packages. */
import { createKnownServers, type ValidationContext } from '@crewagent/core';
import { VERSION } from '@crewagent/protocol/version';
import { secureRoot } from './secure-root.ts';

export const validationContext: ValidationContext = {
  runtimeVersion: VERSION,
  knownServers: { has: (name) => createKnownServers(secureRoot()).has(name) },
};
