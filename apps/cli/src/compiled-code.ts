/**
 * Newer Nodes can keep what they compiled, so that the next start is faster. It is kept in the private store, once there is
 * one: code that others could write would be theirs to change.
 */
import { existsSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { CrewError, defaultStoreRoot, secureStoreRoot } from '@crewagent/core';

export function keepCompiledCode(): void {
  const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
  const root = defaultStoreRoot();
  if (existsSync(root) && isSecure(root)) enableCompileCache?.(join(root, 'cache', 'code'));
}

/** A store that is refused is reported by the command that needs it. */
function isSecure(root: string): boolean {
  try {
    secureStoreRoot(root);
    return true;
  } catch (error) {
    if (error instanceof CrewError) return false;
    throw error;
  }
}
