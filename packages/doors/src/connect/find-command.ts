/** How another agent starts this program. */
import { join } from 'node:path';
import { isExecutable } from '@crewagent/core';

export interface CommandSearch {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** This very program. */
  readonly self: readonly [string, string];
}

/** By name if that is found on the path, so that a file can be shared; otherwise this very program. */
export function findCommand({ platform, env, self }: CommandSearch): [string, ...string[]] {
  const args = ['mcp', 'serve'];
  const isWindows = platform === 'win32';
  const folders = (env.PATH ?? env.Path ?? '').split(isWindows ? ';' : ':').filter(Boolean);
  const isFound = (name: string): boolean => folders.some((folder) => isExecutable(join(folder, name)));
  if (isFound(isWindows ? 'crewagent.exe' : 'crewagent')) return ['crewagent', ...args];
  // Agents start programs without a shell, which alone runs command files.
  if (isWindows && isFound('crewagent.cmd')) return ['cmd', '/c', 'crewagent', ...args];
  return [...self, ...args];
}
