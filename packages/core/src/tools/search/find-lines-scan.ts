/**
 * The built-in search: walks a tree, which honours `.gitignore` files, and tests each line. Runs in a worker thread, so it neither
 * yields nor checks for an abort. Reads directly from disk; its text is never shown (see `line-finder.ts`).
 */
import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
} from 'node:fs';
import { decodeWithBom } from '../files/text-file.ts';
import { isIgnoredBy, parseRules } from './ignore-globs.ts';
import {
  type FinderResult,
  InvalidPattern,
  type LineQuery,
  MAX_SEARCHED_BYTES,
  type TreeSearch,
} from './line-finder.ts';

export function* scanFiles(search: TreeSearch): Generator<FinderResult, undefined> {
  const { query, rootPath, maxLinesPerFile } = search;
  const matcher = createLineMatcher(query);
  let files = 0;
  for (const path of walkFiles(search)) {
    const text = readText(`${rootPath}/${path}`);
    if (text === undefined) continue;
    files++;
    // Most files have no match; for literal text one check of the whole file rules them out.
    if (!query.isRegex && matcher(text) === undefined) continue;
    const lines = toLines(text).flatMap((line, index) => (matcher(line) === undefined ? [] : [index + 1]));
    if (lines.length > 0) yield { kind: 'lines', path, lines: lines.slice(0, maxLinesPerFile) };
  }
  yield { kind: 'scanned', files };
}

function toLines(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

/**
 * Tests lines: a literal text as all search engines do, or a pattern of ripgrep as JavaScript has it, which may never end: it is used
 * in worker threads only. The result is the column of the first match (1-based, in UTF-16 units). Throws InvalidPattern.
 */
export function createLineMatcher(query: LineQuery): (line: string) => number | undefined {
  if (!query.isRegex && query.caseSensitive) return (line) => toColumn(line.indexOf(query.text));
  const pattern = query.isRegex ? toPattern(query) : new RegExp(escapeRegExp(query.text), 'iu');
  return (line) => {
    try {
      return toColumn(line.search(pattern));
    } catch {
      // The line overflows the stack of the regex engine.
      return undefined;
    }
  };
}

/** Translates ripgrep's regex syntax to JavaScript's. */
function toPattern({ text, caseSensitive }: LineQuery): RegExp {
  const source = text
    .replace(/^\(\?i\)/, '')
    .replaceAll('(?P<', '(?<')
    .replace(/\\([!-/:-@[-`{-~])/g, (_, escaped: string) => `\\x${escaped.charCodeAt(0).toString(16)}`);
  try {
    return new RegExp(source, caseSensitive && !text.startsWith('(?i)') ? 'u' : 'iu');
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new InvalidPattern(error.message.split(': ').at(-1));
  }
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

function toColumn(index: number): number | undefined {
  return index === -1 ? undefined : index + 1;
}

/** Paths of the files not ignored by the rules, relative to the root, without links and special files. */
function* walkFiles(search: TreeSearch): Generator<string, undefined> {
  const { rootPath, start, rules, skippedNames, includeHidden } = search;
  if (lstatSync(`${rootPath}/${start}`, { throwIfNoEntry: false })?.isFile()) {
    yield start;
    return;
  }
  const pending = [{ prefix: start === '' ? '' : `${start}/`, layers: [toLayer('', rules)] }];
  for (let folder = pending.pop(); folder; folder = pending.pop()) {
    const { prefix } = folder;
    const entries = readEntries(`${rootPath}/${prefix}`);
    const layers = entries.some(({ name }) => name === '.gitignore')
      ? [toLayer(prefix, (readText(`${rootPath}/${prefix}.gitignore`) ?? '').split('\n')), ...folder.layers]
      : folder.layers;
    for (const entry of entries) {
      const path = prefix + entry.name;
      if ((!includeHidden && entry.name.startsWith('.')) || skippedNames.includes(entry.name)) continue;
      if (!(entry.isDirectory() || entry.isFile()) || isIgnored(layers, path, entry.isDirectory())) continue;
      if (entry.isDirectory()) pending.push({ prefix: `${path}/`, layers });
      else yield path;
    }
  }
}

/** Rules of one `.gitignore`, for paths below `folder`. */
function toLayer(folder: string, lines: readonly string[]) {
  return { folder, rules: parseRules(lines) };
}

/** The nearest `.gitignore` with a matching rule wins. */
function isIgnored(layers: readonly ReturnType<typeof toLayer>[], path: string, isFolder: boolean): boolean {
  for (const { folder, rules } of layers) {
    const verdict = isIgnoredBy(rules, path.slice(folder.length), isFolder);
    if (verdict !== undefined) return verdict;
  }
  return false;
}

function readEntries(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    // Deleted meanwhile, or unreadable.
    return [];
  }
}

// Does not block on a pipe, and does not follow a link, that replaced the file after the walk.
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Undefined for files that are too large, binary or unreadable. Text without a BOM is read as UTF-8, as ripgrep does.
 */
function readText(path: string): string | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, READ_FLAGS);
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || stats.size > MAX_SEARCHED_BYTES) return undefined;
    const bytes = readFileSync(descriptor);
    const text = decodeWithBom(bytes)?.text ?? bytes.toString('utf8');
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
