/**
 * Selects the files of a search by the model's globs, hidden files, and the `.gitignore` files above the start folder.
 * The finder gets the selection as rules; `isWanted` checks every file again, because a `!` line in a `.gitignore` may
 * have included more.
 */
import { hasInvisible } from '@crewagent/protocol/plain-text';
import { isIgnoredName } from '../../base/ignored-names.ts';
import type { MountPath } from '../../mounts/mount-path.ts';
import type { MountedFs } from '../../mounts/mounted-fs.ts';
import { isFileError } from '../../mounts/sandbox-violation.ts';
import { type Glob, matchesGlob, parseGlob } from './ignore-globs.ts';

export interface SearchFilter {
  /** `.gitignore` lines that apply at the root of the mount. */
  readonly rules: readonly string[];
  readonly includeHidden: boolean;
  /** Whether to search a file at or below `start`. Both are paths inside the mount. */
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
export async function readRulesAbove(files: MountedFs, start: MountPath): Promise<string[]> {
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
