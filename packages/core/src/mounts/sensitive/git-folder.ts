/**
 * Git folders, under any name: git runs their settings and hooks with its next command in them, so no model writes there.
 */
import { foldSegment } from './path-patterns.ts';

/** Kind of an entry of the project, links resolved; undefined if there is none. */
export type ExistsInProject = (segments: readonly string[]) => 'file' | 'folder' | undefined;

/**
 * Whether a path is inside `.git`, or in a folder that git takes for a repository, or would as soon as the path exists: a
 * file HEAD beside objects and refs, beside a config, or beside a commondir (a worktree).
 */
export function isGitFolder(segments: readonly string[], exists: ExistsInProject = nothing): boolean {
  const folded = segments.map(foldSegment);
  if (folded.some((name) => GIT.test(name))) return true;
  return folded.some((part, depth) => {
    // The project itself has other files besides those of git.
    if (depth === 0 && !GIT_PARTS.test(part)) return false;
    const folder = segments.slice(0, depth);
    const isLast = depth === folded.length - 1;
    const has = (name: string, kind: 'file' | 'folder'): boolean =>
      (part === foldSegment(name) && (isLast || kind === 'folder')) || exists([...folder, name]) === kind;
    return (
      has('HEAD', 'file') &&
      (has('config', 'file') ||
        has('commondir', 'file') ||
        (has('objects', 'folder') && has('refs', 'folder')))
    );
  });
}

/** Entries that a git folder consists of. */
export const GIT_PARTS =
  /^(?:head|config|config\.worktree|objects|refs|hooks|info|index|packed-refs|commondir|gitdir|logs|modules|worktrees|description)$/i;

/** Also its short name on Windows. */
const GIT = /^(?:\.git|git~\d+)$/;

function nothing(): undefined {
  return undefined;
}
