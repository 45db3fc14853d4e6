/**
 * What happens to each change that a program made in its view: committed, asked for, or dropped with the reason. Reads contents,
 * writes nothing.
 */
import { posix } from 'node:path';
import { hasInvisible } from '@crewagent/protocol/plain-text';
import type { RunsLater } from '@crewagent/protocol/tools';
import { errnoOf } from '../../base/errno.ts';
import type { MountPath } from '../../mounts/mount-path.ts';
import type { MountedFs } from '../../mounts/mounted-fs.ts';
import { isFileError, SandboxViolation } from '../../mounts/sandbox-violation.ts';
import { type ExistsInProject, GIT_PARTS, isGitFolder } from '../../mounts/sensitive/git-folder.ts';
import type { FindRunner } from '../../mounts/sensitive/runs-later.ts';
import type { IsSecret } from '../../mounts/sensitive/secret-files.ts';
import type { ViewChange, ViewEntry } from '../../processes/view.ts';
import type { DeclaredFiles } from '../file-rights.ts';

export interface Classified {
  readonly path: string;
  readonly change: ViewChange;
  /** What would run the file later. */
  readonly runsLater?: RunsLater | undefined;
}

/** Why a change is not kept. */
export type DropReason =
  | 'git'
  | 'secret'
  | 'special'
  | 'name'
  | 'large'
  | 'conflict'
  | 'folder-mode'
  | 'read-only';

interface ClassifiedChanges {
  readonly free: readonly Classified[];
  readonly asked: readonly Classified[];
  readonly dropped: readonly { readonly path: string; readonly why: DropReason }[];
}

interface ClassifyOptions {
  readonly files: MountedFs;
  /** The entries of the view. */
  readonly contents: MountedFs;
  readonly isSecret: IsSecret;
  readonly findRunner: FindRunner;
  readonly isGitAllowed: boolean;
  readonly isReadOnly: boolean;
  /** What the author of the workflow declared; undefined if every file may be written. */
  readonly declared?: DeclaredFiles | undefined;
  /** Whether somebody else changed the entry of the project after the program could have read it. */
  isConflict(change: ViewChange): boolean;
}

/** Content of larger files does not decide what runs them. */
const MAX_CONTENT_BYTES = 1_048_576;

/** A file may have holes, and would be copied in full. */
const MAX_FILE_BYTES = 2 ** 30;

type Verdict =
  | { readonly kind: 'free' | 'none' }
  | AskedVerdict
  | { readonly kind: 'drop'; readonly why: DropReason };
interface AskedVerdict {
  readonly kind: 'ask';
  readonly runsLater?: RunsLater | undefined;
}

export async function classifyChanges(
  changes: readonly ViewChange[],
  options: ClassifyOptions,
): Promise<ClassifiedChanges> {
  const free: Classified[] = [];
  const asked: Classified[] = [];
  const dropped: { path: string; why: DropReason }[] = [];
  const existsAfter = await createExistsAfter(changes, options.files);
  for (const change of changes) {
    const { path } = change;
    const verdict = await judge(change, existsAfter, options);
    if (verdict.kind === 'drop') dropped.push({ path, why: verdict.why });
    else if (verdict.kind === 'free') free.push({ path, change });
    else if (verdict.kind === 'ask') asked.push({ path, change, runsLater: verdict.runsLater });
  }
  return { free, asked, dropped };
}

function toProjectPath(path: string): MountPath {
  return { mount: '@project', segments: path.split('/') };
}

const drop = (why: DropReason): Verdict => ({ kind: 'drop', why });

async function judge(
  change: ViewChange,
  existsAfter: ExistsInProject,
  options: ClassifyOptions,
): Promise<Verdict> {
  const { before, after, path } = change;
  if (options.isReadOnly) return drop('read-only');
  const segments = path.split('/');
  const isMerged = before?.kind === 'folder' && after?.kind === 'folder';
  if (after?.kind === 'special') return drop('special');
  if (after && hasInvisible(path)) return drop('name');
  if (after && after.size > MAX_FILE_BYTES) return drop('large');
  const installed = findInstallation(path);
  const isRead = after && after.kind !== 'folder' && !installed;
  const read = isRead && options.contents.exact.read(toProjectPath(path), { maxBytes: MAX_CONTENT_BYTES });
  const content = read ? (await read)?.content : undefined;
  if (isGitFolder(segments, existsAfter)) {
    if (isMerged) return { kind: 'none' };
    const isRecorded = options.isGitAllowed && isRecordedByGit(segments, after && { ...after, content });
    if (!isRecorded) return drop('git');
    return options.isConflict(change) ? drop('conflict') : { kind: 'free' };
  }
  if (isMerged) return before.mode === after.mode ? { kind: 'none' } : drop('folder-mode');
  if (options.isSecret(segments, after?.kind === 'file')) return drop('secret');
  if (installed?.isCache) return { kind: 'none' };
  if (await isUnchanged(change, content, options)) return { kind: 'none' };
  if (options.isConflict(change)) return drop('conflict');
  if (installed) return { kind: 'ask', runsLater: 'build' };
  if (after?.kind === 'link') return judgeLink(change, content?.toString() ?? '', existsAfter, options);
  if ((after ?? before)?.kind === 'folder') return { kind: 'free' };
  const runsLater = options.findRunner({ segments, mode: after && after.mode & 0o777, content });
  return runsLater || isUndeclared(path, options) ? { kind: 'ask', runsLater } : { kind: 'free' };
}

/** Folders in which package managers install: changes there are asked for, and shown as packages and programs, not file by file. */
const INSTALLED =
  /^(?:.*?\/)?(?:node_modules|bower_components|jspm_packages|\.venv|venv|\.tox|\.nox|vendor\/bundle|Pods|target\/(?:debug|release))(?=\/|$)/s;
/** Caches of tools in there. They hold code, and are made again: they are not worth a question. */
const CACHES = /^\/(?:\.cache|\.vite|\.vite-temp|\.vitest|\.tmp|\.package-lock\.json\.tmp)(?:\/|$)/;

/** The outermost folder of installed packages around a path. */
export function findInstallation(
  path: string,
): { readonly root: string; readonly isCache: boolean } | undefined {
  const root = INSTALLED.exec(path)?.[0];
  return root === undefined ? undefined : { root, isCache: CACHES.test(path.slice(root.length)) };
}

function isUndeclared(path: string, { declared }: Pick<ClassifyOptions, 'declared'>): boolean {
  return declared?.findUndeclared('write', `@project/${path}`) !== undefined;
}

/** A file that was touched, and has its old content and permissions. */
async function isUnchanged(
  { path, before, after }: ViewChange,
  content: Buffer | undefined,
  { files }: ClassifyOptions,
): Promise<boolean> {
  if (!before || !after || before.kind !== after.kind) return false;
  if (after.kind === 'file' && ((before.mode ^ after.mode) & 0o777) !== 0) return false;
  if (before.size !== after.size) return false;
  if (!content) return false;
  const old = await files.exact.read(toProjectPath(path), { maxBytes: MAX_CONTENT_BYTES });
  return old?.content?.equals(content) ?? false;
}

/** A link can give any name to any file, so what it leads to counts as well as where it is. */
function judgeLink(
  { path, before, isReplacement }: ViewChange,
  target: string,
  existsAfter: ExistsInProject,
  { files, isSecret, findRunner, declared }: ClassifyOptions,
): Verdict {
  const segments = path.split('/');
  const runnerOf = (at: readonly string[]): RunsLater | undefined =>
    findRunner({ segments: at }) ?? findRunner({ segments: [...at, 'x'] });
  const runsLater = runnerOf(segments);
  const led = posix.normalize(posix.join(posix.dirname(path), target));
  if (target.startsWith('/') || led === '..' || led.startsWith('../')) return { kind: 'ask', runsLater };
  const ledTo = led.split('/');
  if (isGitFolder(ledTo, existsAfter)) return drop('git');
  if (isSecret(ledTo) || resolvesTo(files, ledTo) === 'secret') return drop('secret');
  const isHarmless =
    !runsLater &&
    !isUndeclared(path, { declared }) &&
    !before &&
    !isReplacement &&
    !(segments.at(-1) ?? '').startsWith('.') &&
    resolvesTo(files, ledTo) === 'inside' &&
    !runnerOf(ledTo);
  return isHarmless ? { kind: 'free' } : { kind: 'ask', runsLater };
}

function resolvesTo(files: MountedFs, segments: readonly string[]): 'inside' | 'outside' | 'secret' {
  try {
    files.resolve({ mount: '@project', segments }, 'read');
    return 'inside';
  } catch (error) {
    if (error instanceof SandboxViolation) return error.reason === 'secret' ? 'secret' : 'outside';
    if (errnoOf(error) === undefined) throw error;
    return 'inside';
  }
}

/** The entries of the project with these changes, for names that make a folder a git folder. */
async function createExistsAfter(changes: readonly ViewChange[], files: MountedFs): Promise<ExistsInProject> {
  const kinds = new Map<string, ViewEntry['kind'] | undefined>(
    changes.map(({ path, after }) => [path, after?.kind]),
  );
  for (const folder of new Set(changes.flatMap(({ path }) => possibleRepositories(path.split('/')))))
    for (const name of GIT_NAMES) {
      const path = folder === '' ? name : `${folder}/${name}`;
      if (kinds.has(path)) continue;
      const entry = await files.exact.read(toProjectPath(path), { maxBytes: 0 }).catch(ifRefused);
      kinds.set(path, entry?.kind);
    }
  return (segments) => {
    const kind = kinds.get(segments.join('/'));
    // A link may lead to either.
    if (kind === 'link') return GIT_FOLDERS.has(segments.at(-1) ?? '') ? 'folder' : 'file';
    return kind === 'special' ? undefined : kind;
  };
}

function ifRefused(error: unknown): undefined {
  if (!isFileError(error)) throw error;
}

/** Names that make a folder a repository for git. */
const GIT_FOLDERS: ReadonlySet<string> = new Set(['objects', 'refs']);
const GIT_NAMES: ReadonlySet<string> = new Set(['HEAD', 'config', 'commondir', ...GIT_FOLDERS]);

/** Folders along a path that may be repositories under another name. */
function possibleRepositories(segments: readonly string[]): string[] {
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

/**
 * Whether a change in a git folder may be committed where a person allowed git: what a commit, a branch or a fetch records, never
 * configuration, hooks, or anything else that git runs or that leads it elsewhere. `content`: of a
 * file, up to a bound.
 */
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
