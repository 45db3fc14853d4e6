/**
 * The files that the built-in searcher looks through: a plain walk that reads `.gitignore` files on its way, and the
 * text of one file. Reads directly from disk; nothing it returns is shown to anybody (see `line-finder.ts`).
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
import { setImmediate } from 'node:timers/promises';
import { type IgnoreRule, isIgnoredBy, parseRules } from './ignore-globs.ts';
import { MAX_SEARCHED_BYTES, type TreeSearch } from './line-finder.ts';
import { decodeMarked } from './text-file.ts';

/** The rules of one `.gitignore`, for paths below `folder`. */
interface RuleLayer {
  readonly folder: string;
  readonly rules: readonly IgnoreRule[];
}

/** Paths of the files that the rules leave, without links and special files, relative to the root. */
export async function* walkFiles(
  { rootPath, start, rules, skippedNames, includeHidden }: TreeSearch,
  signal: AbortSignal,
): AsyncGenerator<string> {
  if (lstatSync(`${rootPath}/${start}`, { throwIfNoEntry: false })?.isFile()) {
    yield start;
    return;
  }
  const pending = [{ prefix: start === '' ? '' : `${start}/`, layers: [toLayer('', rules)] }];
  for (let folder = pending.pop(); folder && !signal.aborted; folder = pending.pop()) {
    // Other work goes on between folders, also where the rules leave no file.
    await setImmediate();
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

/** The nearest `.gitignore` with a matching rule decides. */
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
    // Deleted meanwhile, or not readable: nothing to find there.
    return [];
  }
}

// A pipe or link that replaced the file since the walk saw it neither blocks nor is followed.
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Undefined for files that are too large, binary or not readable. Reads unmarked text as UTF-8, as ripgrep does. */
export function readText(path: string): string | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, READ_FLAGS);
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || stats.size > MAX_SEARCHED_BYTES) return undefined;
    const bytes = readFileSync(descriptor);
    const text = decodeMarked(bytes)?.text ?? bytes.toString('utf8');
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
