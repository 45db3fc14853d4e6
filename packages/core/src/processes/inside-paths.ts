/**
 * Paths inside the sandbox: the project is `/project`, the home folder `/home/user`. No other path of this machine is shown to a
 * program, or through its output to a model. Pure.
 */
import { posix } from 'node:path';
import { isInside } from '../base/is-inside.ts';
import folders from './readable-folders.json' with { type: 'json' };

export const INSIDE_PROJECT = '/project';
export const INSIDE_HOME = '/home/user';

interface RealFolders {
  readonly project: string;
  readonly home: string;
}

/** The path at which a program finds a file of this machine. */
export function toInsidePath(path: string, { project, home }: RealFolders): string {
  if (isInside(path, project)) return posix.join(INSIDE_PROJECT, posix.relative(project, path));
  if (isInside(path, home)) return posix.join(INSIDE_HOME, posix.relative(home, path));
  return path;
}

/** The PATH of a program: folders that do not exist in the sandbox are left out. */
export function toInsideSearchPath(path: string, real: RealFolders, folders: readonly string[]): string {
  const tools = TOOL_FOLDERS.map((folder) => posix.join(real.home, folder));
  const shown = [...SYSTEM_FOLDERS, ...tools, ...folders, real.project];
  const inside = path
    .split(':')
    .filter((folder) => folder.startsWith('/') && shown.some((root) => isInside(folder, root)))
    .map((folder) => toInsidePath(folder, real));
  return [...new Set(inside)].join(':') || '/usr/local/bin:/usr/bin:/bin';
}

/** A text of a program, with paths as they are inside. */
export function hideRealPaths(text: string, { project, home }: RealFolders): string {
  return [[project, INSIDE_PROJECT] as const, [home, INSIDE_HOME] as const].reduce(
    (shown, [real, inside]) => replacePath(shown, real, inside),
    text,
  );
}

function replacePath(text: string, real: string, inside: string): string {
  if (real.length < 2 || !text.includes(real)) return text;
  const escaped = real.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  // Not in the middle of a longer name.
  return text.replace(new RegExp(`(?<![\\w.-])${escaped}(?![\\w-])`, 'g'), () => inside);
}

/**
 * Below the home folder: where people install compilers, interpreters and their versions. Nothing else of the home folder is
 * readable. None of them holds credentials.
 */
export const TOOL_FOLDERS: readonly string[] = folders.tools;

/** Programs, libraries and settings of the system. */
export const SYSTEM_FOLDERS: readonly string[] = folders.system;
