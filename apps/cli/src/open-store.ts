/** This user's store for commands that need no runs. */
import { openUserStore, type UserStore } from '@crewagent/core';
import { secureRoot } from './secure-root.ts';
import { printError, sanitize } from './terminal.ts';

/** Throws STORE_REFUSED if another user owns the folder. */
export function openStore(): UserStore {
  return openUserStore(secureRoot(), (message) => printError(`! ${sanitize(message)}`));
}
