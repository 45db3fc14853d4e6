/**
 * Enables the compile cache of newer Node versions, so that the next start is faster. The cache is in the private store,
 * because compiled code that other users could write would be theirs to change.
 */
import { existsSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { CrewError, defaultStoreRoot, secureStoreRoot } from '@crewagent/core';

export function cacheCompiledCode(): void {
  const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
  const root = defaultStoreRoot();
  if (existsSync(root) && isSecure(root)) enableCompileCache?.(join(root, 'cache', 'code'));
}

/** A rejected store is reported by the command that needs it, not here. */
function isSecure(root: string): boolean {
  try {
    secureStoreRoot(root);
    return true;
  } catch (error) {
    if (error instanceof CrewError) return false;
    throw error;
  }
}
