/**
 * Turns candidate lines of a finder into matches: each file is opened again through its mount, which rejects secret
 * files, special files and links that leave the mount, and lines that do not match there are dropped.
 */

import { hasInvisible } from '@crewagent/protocol/plain-text';
import { isIgnoredName } from '../../base/ignored-names.ts';
import { formatMountPath, type MountPath } from '../../mounts/mount-path.ts';
import type { MountedFs } from '../../mounts/mounted-fs.ts';
import { isFileError } from '../../mounts/sandbox-violation.ts';
import { maskSecrets } from '../../mounts/sensitive/hidden-values.ts';
import { decodeText } from '../files/text-file.ts';
import { type Glob, matchesGlob, parseGlob } from './ignore-globs.ts';
import { type LineFinder, type LineQuery, MAX_SEARCHED_BYTES } from './line-finder.ts';

export interface Match {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

interface MatchSearch {
  readonly query: LineQuery;
  /** File or folder, links resolved. */
  readonly start: MountPath;
  readonly filter: SearchFilter;
  readonly before: number;
  readonly after: number;
  readonly maxMatches: number;
  /** Ends the search; matches found so far are returned. */
  readonly signal: AbortSignal;
  /** Aborts the whole operation. */
  readonly abort: AbortSignal;
}

export interface MatchSource {
  readonly files: MountedFs;
  /** Files whose text must not be shown: secret files and steps of nodes not yet reached. */
  isHidden(path: MountPath): boolean;
  readonly finder: LineFinder;
}

const MAX_SHOWN_CHARS = 400;
/** Text beyond this column is not matched. */
const MAX_LINE_CHARS = 100_000;
/** Candidates that are matched at once. */
const MAX_BATCH_CHARS = 1_000_000;
/** For the candidates that are left when the search ends early. */
const LAST_MATCH_MS = 500;
/** Ignored folders that can be huge; `filter` handles the other ignored names. */
const HUGE_FOLDERS = ['node_modules', '.git', '.hg', '.svn'];

/** Returns at most `maxMatches`, unordered, and the number of searched files if known. */
export async function collectMatches(
  { files, isHidden, finder }: MatchSource,
  { query, start, filter, before, after, maxMatches, signal, abort }: MatchSearch,
): Promise<{ matches: Match[]; filesScanned?: number }> {
  const startPath = start.segments.join('/');
  const matches: Match[] = [];
  let candidates: Match[] = [];
  let chars = 0;
  let filesScanned: number | undefined;
  const matchLines = async (): Promise<void> => {
    const texts = candidates.map(({ text }) => text);
    if (texts.length === 0) return;
    const end = signal.aborted ? AbortSignal.any([abort, AbortSignal.timeout(LAST_MATCH_MS)]) : signal;
    const columns = await finder.matchLines(texts, query, end);
    for (const [index, match] of candidates.entries()) {
      const column = columns[index];
      if (column !== undefined) matches.push({ ...match, text: truncateAround(match.text, column - 1) });
    }
    candidates = [];
    chars = 0;
  };
  const rules = [...filter.rules, ...(await readRulesAbove(files, start))];
  await files.withFolder({ mount: start.mount, segments: [] }, async (rootPath) => {
    const search = {
      query,
      rootPath,
      start: startPath,
      rules,
      skippedNames: HUGE_FOLDERS,
      includeHidden: filter.includeHidden,
      maxLinesPerFile: maxMatches,
    };
    for await (const finding of finder.find(search, signal)) {
      if (finding.kind === 'scanned') {
        filesScanned = finding.files;
        continue;
      }
      const path = { mount: start.mount, segments: finding.path.split('/') };
      if (!filter.isWanted(finding.path, startPath)) continue;
      if (isHidden(path)) continue;
      for (const match of await readMatches(files, path, finding.lines, { before, after })) {
        candidates.push(match);
        chars += match.text.length;
      }
      if (matches.length + candidates.length < maxMatches && chars < MAX_BATCH_CHARS) continue;
      await matchLines();
      if (matches.length >= maxMatches) break;
    }
  });
  await matchLines();
  return { matches, filesScanned };
}

/** Reads the candidate lines, not yet matched. Empty if the file is unreadable or not text. */
async function readMatches(
  files: MountedFs,
  path: MountPath,
  lines: readonly number[],
  { before, after }: { before: number; after: number },
): Promise<Match[]> {
  const text = await readText(files, path);
  if (text === undefined) return [];
  const displayPath = formatMountPath(path);
  const content = text.replace(/\n$/, '').split('\n', Math.max(...lines) + after);
  const part = (from: number, to: number): string[] =>
    content.slice(Math.max(from, 0), to).map((line) => truncateAround(withoutCarriageReturn(line), 0));
  return lines
    .filter((line) => line <= content.length)
    .map((line) => ({
      path: displayPath,
      line,
      text: withoutCarriageReturn(content[line - 1] ?? '').slice(0, MAX_LINE_CHARS),
      before: part(line - 1 - before, line - 1),
      after: part(line, line + after),
    }));
}

async function readText(files: MountedFs, path: MountPath): Promise<string | undefined> {
  try {
    return await files.withFile(path, async ({ handle, bytes }) => {
      if (bytes > MAX_SEARCHED_BYTES) return undefined;
      const text = decodeText(await handle.readFile())?.text;
      // Lines are matched as they are shown, so that no search can guess a hidden value.
      return text === undefined || text.includes('\0') ? undefined : maskSecrets(text);
    });
  } catch (error) {
    // Deleted or replaced since the search, or not accessible.
    if (isFileError(error)) return undefined;
    throw error;
  }
}

function withoutCarriageReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

/** At most 400 characters of a line around `index`, with `…` where text was cut. */
function truncateAround(line: string, index: number): string {
  if (line.length <= MAX_SHOWN_CHARS) return line;
  const start = Math.max(0, Math.min(index - MAX_SHOWN_CHARS / 4, line.length - MAX_SHOWN_CHARS));
  const cut = line.slice(start, start + MAX_SHOWN_CHARS).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
  return `${start > 0 ? '…' : ''}${cut}${start + MAX_SHOWN_CHARS < line.length ? '…' : ''}`;
}

interface SearchFilter {
  /** `.gitignore` lines that apply at the root of the mount. */
  readonly rules: readonly string[];
  readonly includeHidden: boolean;
  /**
   * Whether to search a file at or below `start`. Both are paths inside the mount. Checked for every file again, because a `!` line
   * in a `.gitignore` may have included more than `rules`.
   */
  isWanted(path: string, start: string): boolean;
}

interface WantedGlob {
  /** The glob as patterns of an ignore file. */
  readonly patterns: readonly string[];
  readonly glob: Glob;
  readonly namesHidden: boolean;
}

/** A glob without a leading slash matches at any depth; a glob that matches a folder includes its content. */
export function toSearchFilter(globs: readonly string[]): SearchFilter | { readonly badGlob: string } {
  const wanted: WantedGlob[] = [];
  const unwanted: WantedGlob[] = [];
  for (const text of globs) {
    const parsed = parseWantedGlob(text.replace(/^!/, ''));
    if (!parsed) return { badGlob: text };
    (text.startsWith('!') ? unwanted : wanted).push(parsed);
  }
  const includeHidden = wanted.some(({ namesHidden }) => namesHidden);
  const isHiddenIncluded = (path: string): boolean =>
    wanted.some(({ glob, namesHidden }) => namesHidden && matchesGlob(glob, path));
  return {
    rules: [
      ...(wanted.length > 0
        ? ['*', '!*/', ...wanted.flatMap(({ patterns }) => patterns.map((pattern) => `!${pattern}`))]
        : []),
      // Exclude hidden folders that `!*/` included.
      ...(wanted.length > 0 && !includeHidden ? ['.*'] : []),
      ...unwanted.flatMap(({ patterns }) => patterns),
    ],
    includeHidden,
    isWanted(path, start) {
      if (hasInvisible(path) || path.includes('\\')) return false;
      if (path === start) return true;
      const below = path.slice(start === '' ? 0 : start.length + 1).split('/');
      if (below.some(isIgnoredName)) return false;
      if (below.some((name) => name.startsWith('.')) && !isHiddenIncluded(path)) return false;
      if (unwanted.some(({ glob }) => matchesGlob(glob, path))) return false;
      return wanted.length === 0 || wanted.some(({ glob }) => matchesGlob(glob, path));
    },
  };
}

function parseWantedGlob(text: string): WantedGlob | undefined {
  const rooted = text.replace(/^@(?:project|pkg|state)(?=\/|$)/, '').replace(/^\.\//, '');
  const isAnchored = rooted !== text || rooted.startsWith('/');
  const body = rooted.replace(/^\/+|\/+$/g, '');
  if (hasInvisible(text) || (body === '' && !isAnchored)) return undefined;
  const anchored = isAnchored || body.startsWith('**/') ? body : `**/${body}`;
  // A file of that name or, for a folder, its content.
  const patterns = anchored === '' ? ['**'] : [anchored, `${anchored}/**`];
  const glob = patterns.map(parseGlob).filter((parsed) => parsed !== undefined);
  if (glob.length < patterns.length) return undefined;
  return {
    patterns: patterns.map((pattern) => `/${pattern}`),
    glob: glob.flat(),
    namesHidden: /(?:^|[/{,])\.[^./]/.test(body),
  };
}

/** Rules of the `.gitignore` files in the folders above `start`, rewritten for the root. */
async function readRulesAbove(files: MountedFs, start: MountPath): Promise<string[]> {
  const rules: string[] = [];
  for (let depth = 0; depth < start.segments.length; depth++) {
    const folder = start.segments.slice(0, depth);
    const text = await readIgnoreFile(files, { mount: start.mount, segments: [...folder, '.gitignore'] });
    for (const line of text.split('\n')) rules.push(...rebaseRule(line, folder));
  }
  return rules;
}

const MAX_IGNORE_BYTES = 1024 * 1024;

async function readIgnoreFile(files: MountedFs, path: MountPath): Promise<string> {
  try {
    return await files.withFile(path, async ({ handle, bytes }) =>
      bytes > MAX_IGNORE_BYTES ? '' : (await handle.readFile()).toString('utf8').replace(/^\uFEFF/, ''),
    );
  } catch (error) {
    if (isFileError(error)) return '';
    throw error;
  }
}

function rebaseRule(line: string, folder: readonly string[]): string[] {
  const [, not = '', body = ''] = /^(!?)(.*?)\r?$/.exec(line) ?? [];
  if (body.trim() === '' || line.startsWith('#')) return [];
  const isAnchored = body.slice(0, -1).includes('/');
  const prefix = folder.map((name) => `/${name.replace(/[\\*?[\]{}]/g, '\\$&')}`).join('');
  return [`${not}${prefix}/${isAnchored ? body.replace(/^\//, '') : `**/${body}`}`];
}
