/**
 * What a program may change of git. In a project where a person allowed git: what a commit, a branch or a fetch records. Never
 * configuration, hooks, or anything else that git runs or that leads it elsewhere. Pure.
 */
import { GIT_PARTS } from '../../mounts/sensitive/git-folder.ts';

/** Names that make a folder a repository for git. */
export const GIT_FOLDERS: ReadonlySet<string> = new Set(['objects', 'refs']);
export const GIT_NAMES: ReadonlySet<string> = new Set(['HEAD', 'config', 'commondir', ...GIT_FOLDERS]);

/** Folders along a path that may be repositories under another name. */
export function possibleRepositories(segments: readonly string[]): string[] {
  return segments.flatMap((part, depth) =>
    GIT_PARTS.test(part) ? [segments.slice(0, depth).join('/')] : [],
  );
}

/** Below a git folder, or below that of a submodule. */
const RECORDED = [
  /^objects\/(?:[0-9a-f]{2}(?:\/[0-9a-f]{38,62})?|pack(?:\/[\w.-]+)?|info(?:\/(?:packs|commit-graph|commit-graphs(?:\/.*)?))?)$/,
  /^(?:objects|refs|logs)$/,
  /^(?:refs|logs)\/.+$/,
  /^(?:index|packed-refs|shallow|COMMIT_EDITMSG|MERGE_MSG|MERGE_MODE|SQUASH_MSG)$/,
];
/** Each line begins with a hash, or names a branch. */
const HEADS = /^(?:HEAD|ORIG_HEAD|FETCH_HEAD|MERGE_HEAD|CHERRY_PICK_HEAD|REVERT_HEAD|AUTO_MERGE)$/;
const PLAIN_HEAD = /^(?:ref: refs\/[\w./@+-]+|[0-9a-f]{40,64}(?:[ \t].*)?)$/;
const SUBMODULE =
  /^modules\/.+?\/(?=(?:objects|refs|logs|index|packed-refs|HEAD|ORIG_HEAD|FETCH_HEAD)(?:\/|$))/;
const MAX_HEAD_BYTES = 65_536;

/** Whether a change in a git folder may be committed where git is allowed. `content`: of a file, up to a bound. */
export function isRecordedByGit(
  segments: readonly string[],
  after: { readonly kind: string; readonly mode: number; readonly content: Buffer | undefined } | undefined,
): boolean {
  const start = segments.indexOf('.git');
  if (start === -1) return false;
  if (after && after.kind !== 'file' && after.kind !== 'folder') return false;
  if (after?.kind === 'file' && (after.mode & 0o111) !== 0) return false;
  const path = segments
    .slice(start + 1)
    .join('/')
    .replace(SUBMODULE, '');
  if (HEADS.test(path)) return after === undefined ? path !== 'HEAD' : isPlainHead(after.content);
  return RECORDED.some((pattern) => pattern.test(path));
}

function isPlainHead(content: Buffer | undefined): boolean {
  if (!content || content.length > MAX_HEAD_BYTES) return false;
  const lines = content.toString('utf8').split('\n');
  return lines.every((line) => line === '' || PLAIN_HEAD.test(line));
}
