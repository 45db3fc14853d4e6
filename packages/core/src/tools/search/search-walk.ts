/**
 * File walk of the built-in finder, which honours `.gitignore` files, and reading of one text file. Reads directly from
 * disk; its text is never shown (see `line-finder.ts`).
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
import { type IgnoreRule, isIgnoredBy, parseRules } from './ignore-globs.ts';
import { MAX_SEARCHED_BYTES, type TreeSearch } from './line-finder.ts';

/** Rules of one `.gitignore`, for paths below `folder`. */
interface RuleLayer {
  readonly folder: string;
  readonly rules: readonly IgnoreRule[];
}

/** Paths of the files not ignored by the rules, relative to the root, without links and special files. */
export function* walkFiles({
  rootPath,
  start,
  rules,
  skippedNames,
  includeHidden,
}: TreeSearch): Generator<string, undefined> {
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

function toLayer(folder: string, lines: readonly string[]): RuleLayer {
  return { folder, rules: parseRules(lines) };
}

/** The nearest `.gitignore` with a matching rule wins. */
function isIgnored(layers: readonly RuleLayer[], path: string, isFolder: boolean): boolean {
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
export function readText(path: string): string | undefined {
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
