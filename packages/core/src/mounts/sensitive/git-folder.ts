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
  return folded.some((_, depth) => {
    const folder = segments.slice(0, depth);
    const written = folded[depth] ?? '';
    const isLast = depth === folded.length - 1;
    const has = (name: string, kind: 'file' | 'folder'): boolean =>
      (written === foldSegment(name) && (isLast || kind === 'folder')) || exists([...folder, name]) === kind;
    return (
      has('HEAD', 'file') &&
      (has('config', 'file') ||
        has('commondir', 'file') ||
        (has('objects', 'folder') && has('refs', 'folder')))
    );
  });
}

/** Also its short name on Windows. */
const GIT = /^(?:\.git|git~\d+)$/;

function nothing(): undefined {
  return undefined;
}
