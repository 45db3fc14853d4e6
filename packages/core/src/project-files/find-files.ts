/**
 * Finds files of a mount by a few letters of their path. Walks breadth-first within limits of entries and time; follows
 * no links, enters no ignored folders and returns no secret files.
 */
import { hasInvisible } from '@crewagent/protocol/plain-text';
import { isIgnoredName } from '../base/ignored-names.ts';
import { parseStagingName } from '../base/staging.ts';
import { formatMountPath, type MountName, type MountPath, parseMountPath } from '../mounts/mount-path.ts';
import type { MountedTree } from '../mounts/mounted-tree.ts';
import { nextTurn } from '../mounts/open-path.ts';
import { isFileError } from '../mounts/sandbox-violation.ts';
import type { IsSecret } from '../mounts/sensitive/secret-files.ts';
import { childOf } from './project-path.ts';

export interface FoundFiles {
  /** Best match first. */
  readonly paths: string[];
  /** True if some files were not searched. */
  readonly isCut: boolean;
}

export interface FindOptions {
  readonly limit?: number | undefined;
  /** Aborted when the caller is gone. */
  readonly signal?: AbortSignal | undefined;
  readonly bounds?: FindBounds | undefined;
}

interface FindBounds {
  readonly entries: number;
  readonly ms: number;
}

const LIMIT = 50;
const MAX_LIMIT = 200;
const BOUNDS: FindBounds = { entries: 50_000, ms: 3_000 };
/** Other tasks may run after this time. */
const TURN_MS = 8;
const MAX_PATH = 4_096;

interface FindSources {
  readonly tree: Pick<MountedTree, 'entries'>;
  readonly isSecret: IsSecret;
  readonly mount?: MountName;
}

export async function findFiles(
  text: string,
  { tree, isSecret, mount = '@project' }: FindSources,
  { limit = LIMIT, signal, bounds = BOUNDS }: FindOptions = {},
): Promise<FoundFiles> {
  const query = toPathQuery(text);
  // A dot in the query includes hidden names.
  const includesHidden = /(?:^|\/)\./.test(query);
  const isSkipped = (name: string): boolean =>
    isIgnoredName(name) || parseStagingName(name) !== undefined || (name.startsWith('.') && !includesHidden);
  const root: MountPath = { mount, segments: [] };
  const best = createBestMatches(root, Math.min(limit, MAX_LIMIT));
  const end = performance.now() + bounds.ms;
  const pending = [root];
  let next = 0;
  let seen = 0;
  let turnStart = performance.now();

  const searchFolder = async (folder: MountPath): Promise<boolean> => {
    for await (const batch of tree.entries(folder)) {
      for (const { name, kind } of batch) {
        if (isSkipped(name)) continue;
        if (seen++ >= bounds.entries) return false;
        if (kind === 'folder') pending.push(childOf(folder, name));
        if (kind !== 'file') continue;
        const path = [...folder.segments, name].join('/');
        const score = matchPath(path, query);
        if (score !== undefined && best.isGoodEnough(score) && isPresentable(childOf(folder, name), isSecret))
          best.add({ path, score });
        if (performance.now() - turnStart < TURN_MS) continue;
        await nextTurn();
        turnStart = performance.now();
        if (turnStart > end || signal?.aborted) return false;
      }
    }
    return true;
  };

  for (let folder = pending[next++]; folder; folder = pending[next++]) {
    try {
      if (performance.now() > end || signal?.aborted || !(await searchFolder(folder)))
        return { paths: best.paths(), isCut: true };
    } catch (error) {
      // Removed, unreadable, or a link by now. Errors of the mount itself are thrown.
      if (folder === root || !isFileError(error)) throw error;
    }
  }
  return { paths: best.paths(), isCut: false };
}

/** Whether the path may be shown and can be parsed back. */
function isPresentable(path: MountPath, isSecret: IsSecret): boolean {
  if (path.segments.some((name) => hasInvisible(name) || name.includes('\uFFFD'))) return false;
  const formatted = formatMountPath(path);
  const parsed = formatted.length <= MAX_PATH ? parseMountPath(formatted) : undefined;
  return parsed?.ok === true && formatMountPath(parsed.path) === formatted && !isSecret(path.segments);
}

interface ScoredPath {
  readonly path: string;
  readonly score: number;
}

/** Collects the best `limit` matches of any number. */
function createBestMatches({ mount }: MountPath, limit: number) {
  let found: ScoredPath[] = [];
  let minScore = Number.NEGATIVE_INFINITY;
  const truncate = (): void => {
    found = found.sort(byScore).slice(0, limit);
    if (found.length === limit) minScore = found.at(-1)?.score ?? minScore;
  };
  return {
    isGoodEnough: (score: number): boolean => score >= minScore,
    add(match: ScoredPath): void {
      found.push(match);
      if (found.length >= 4 * limit) truncate();
    },
    paths(): string[] {
      truncate();
      return found.map(({ path }) => `${mount}/${path}`);
    },
  };
}

function byScore(a: ScoredPath, b: ScoredPath): number {
  return b.score - a.score || a.path.length - b.path.length || (a.path < b.path ? -1 : 1);
}

/** Ignores case, slash direction, blanks and Unicode form. */
export function toPathQuery(text: string): string {
  return text.normalize('NFC').toLowerCase().replace(/\s+/gu, '').replaceAll('\\', '/');
}

const HIT_SCORE = 1;
/** Consecutive letters score more than a word start. */
const CONSECUTIVE_SCORE = 10;
const WORD_START_SCORE = 8;
const NAME_START_SCORE = 12;
const IN_NAME_SCORE = 4;
const CHARS_PER_POINT = 16;
/** Only this many characters at the end of a path are searched. */
const MAX_PATH_CHARS = 1_024;

/**
 * Scores how well a few typed letters match a path: all must occur in it, in order. Word starts, consecutive letters and hits in the
 * file name score higher; of equal matches the shorter path wins. Undefined if the path does not match.
 */
export function matchPath(path: string, letters: string): number | undefined {
  const normalized = path.normalize('NFC').slice(-MAX_PATH_CHARS);
  const folded = normalized.toLowerCase();
  if (!hasInOrder(folded, letters)) return undefined;
  // Folding may change the length; then word starts by case cannot be detected.
  const scored = folded.length === normalized.length ? normalized : folded;
  return bestScore(folded, letters, hitScores(scored)) - path.length / CHARS_PER_POINT;
}

function hasInOrder(text: string, letters: string): boolean {
  let from = 0;
  for (let index = 0; index < letters.length; index++) {
    const found = text.indexOf(letters.charAt(index), from);
    if (found < 0) return false;
    from = found + 1;
  }
  return true;
}

/** Score of a hit at each index of the path. */
function hitScores(path: string): Int32Array {
  const scores = new Int32Array(path.length);
  const nameAt = path.lastIndexOf('/') + 1;
  for (let index = 0; index < path.length; index++) {
    const start = index === nameAt ? NAME_START_SCORE : isWordStart(path, index) ? WORD_START_SCORE : 0;
    scores[index] = HIT_SCORE + start + (index >= nameAt ? IN_NAME_SCORE : 0);
  }
  return scores;
}

function isWordStart(path: string, index: number): boolean {
  const [before, here] = [path.charCodeAt(index - 1), path.charCodeAt(index)];
  if (index === 0 || isSeparator(before)) return !isSeparator(here);
  return (isUpper(here) && !isUpper(before)) || (isDigit(here) && !isDigit(before));
}

function isSeparator(code: number): boolean {
  return code < 128 && !isDigit(code) && !isUpper(code) && !(code >= 97 && code <= 122);
}

function isUpper(code: number): boolean {
  return code >= 65 && code <= 90;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/**
 * Highest score of any alignment of the letters with the text. Dynamic programming: each row holds the best score that
 * ends at each index.
 */
function bestScore(text: string, letters: string, scores: Int32Array): number {
  if (letters === '') return 0;
  let before = new Int32Array(text.length);
  let row = new Int32Array(text.length);
  let best = 0;
  for (let index = 0; index < letters.length; index++) {
    const letter = letters.charCodeAt(index);
    let bestBefore = index === 0 ? 0 : NONE;
    best = NONE;
    for (let textIndex = 0; textIndex < text.length; textIndex++) {
      const isHit = text.charCodeAt(textIndex) === letter;
      const follows = textIndex > 0 && index > 0 ? (before[textIndex - 1] ?? NONE) : NONE;
      const score = scores[textIndex] ?? 0;
      row[textIndex] = isHit ? Math.max(bestBefore, follows + CONSECUTIVE_SCORE) + score : NONE;
      best = Math.max(best, row[textIndex] ?? NONE);
      bestBefore = Math.max(bestBefore, follows);
    }
    [before, row] = [row, before];
  }
  return best;
}

/** Lower than any sum of scores. */
const NONE = -1_000_000_000;
