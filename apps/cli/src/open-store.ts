/** This user's store for commands that need no runs. */
import { openUserStore, type UserStore } from '@crewagent/core';
import { hostProcess } from './host-process.ts';
import { secureRoot } from './secure-root.ts';
import { printError, sanitize } from './terminal.ts';

/** Throws STORE_REFUSED if another user owns the folder. */
export function openStore(): UserStore {
  const warn = (message: string): void => printError(`! ${sanitize(message)}`);
  return openUserStore(secureRoot(), warn, hostProcess().env);
}
