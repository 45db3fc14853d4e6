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
  readSync,
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
  const mayMatch = createByteTest(query);
  let files = 0;
  for (const path of walkFiles(search)) {
    const bytes = readTextBytes(`${rootPath}/${path}`);
    if (bytes === undefined) continue;
    files++;
    // Most files have no match, which shows without decoding them.
    if (!mayMatch(bytes)) continue;
    const text = decode(bytes);
    const lines = toLines(text).flatMap((line, index) => (matcher(line) === undefined ? [] : [index + 1]));
    if (lines.length > 0) yield { kind: 'lines', path, lines: lines.slice(0, maxLinesPerFile) };
  }
  yield { kind: 'scanned', files };
}

/** Whether a file may contain the literal text, as its bytes tell. True for all files where they do not tell. */
function createByteTest({ text, isRegex, caseSensitive }: LineQuery): (bytes: Buffer) => boolean {
  const wanted = Buffer.from(text);
  const isAscii = wanted.length === text.length;
  // A lone surrogate becomes the sign that stands for invalid bytes.
  const isExact = caseSensitive && !wanted.includes(REPLACEMENT);
  if (isRegex || text === '' || !(isExact || isAscii)) return () => true;
  if (caseSensitive) return (bytes) => isWide(bytes) || bytes.includes(wanted);
  const lowered = text.toLowerCase();
  const others = OTHER_LETTERS.filter(([letter]) => lowered.includes(letter)).map(([, form]) => form);
  const includesIgnoringCase = createAsciiTest(lowered);
  return (bytes) =>
    isWide(bytes) || includesIgnoringCase(bytes) || others.some((form) => bytes.includes(form));
}

/**
 * Whether bytes include a text of ASCII, ignoring case. Looks for the rarest character of the text, which most files do not have;
 * where it occurs often after all, all bytes are compared.
 */
function createAsciiTest(lowered: string): (bytes: Buffer) => boolean {
  const codes = Buffer.from(lowered);
  const rarity = [...lowered].map((character) => COMMON.indexOf(character));
  // Characters that are not listed are the rarest.
  const rarest = rarity.includes(-1) ? rarity.indexOf(-1) : rarity.indexOf(Math.max(...rarity));
  const rare = lowered.charAt(rarest);
  const forms = [...new Set([rare, rare.toUpperCase()])].map((form) => form.charCodeAt(0));
  const isAt = (bytes: Buffer, start: number): boolean =>
    start >= 0 && codes.every((code, index) => toLowerCode(bytes[start + index] ?? 0) === code);
  return (bytes) => {
    let seen = 0;
    for (const form of forms)
      for (let at = bytes.indexOf(form); at !== -1; at = bytes.indexOf(form, at + 1)) {
        if (isAt(bytes, at - rarest)) return true;
        // Byte by byte: half as long as a pattern that ignores case takes.
        if (++seen > MAX_SEEN) return bytes.toString('latin1').toLowerCase().includes(lowered);
      }
    return false;
  };
}

/** Characters of texts and programs, the most common first. */
const COMMON = ' etaoinsrlhdcumpfgybw.,-v';
const MAX_SEEN = 8;

function toLowerCode(code: number): number {
  return code >= 0x41 && code <= 0x5a ? code + 0x20 : code;
}

/** Stands for bytes that are not valid in their encoding. */
const REPLACEMENT = '\ufffd';

/** The letters beyond ASCII that equal one of ASCII where case is ignored: a long s, and the sign of Kelvin. */
const OTHER_LETTERS = [
  ['s', Buffer.from('\u017f')],
  ['k', Buffer.from('\u212a')],
] as const;

/** Whether a byte-order mark says that characters have two bytes. */
function isWide([first, second]: Buffer): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
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

/** Undefined for files that are too large, binary or unreadable. */
function readText(path: string): string | undefined {
  const bytes = readTextBytes(path);
  return bytes && decode(bytes);
}

/** Text without a BOM is read as UTF-8, as ripgrep does. */
function decode(bytes: Buffer): string {
  return decodeWithBom(bytes)?.text ?? bytes.toString('utf8');
}

/** Used for one file after the other: allocating memory for each takes longer than reading it. */
let room = Buffer.alloc(64 * 1024);

/** The content of a file, valid until the next one is read. */
function readTextBytes(path: string): Buffer | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, READ_FLAGS);
    const bytes = readAll(descriptor);
    if (!bytes) return undefined;
    return (isWide(bytes) ? decode(bytes).includes('\0') : bytes.includes(0)) ? undefined : bytes;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Undefined for files that are too large. */
function readAll(descriptor: number): Buffer | undefined {
  let total = readSync(descriptor, room, 0, room.length, null);
  // Of few files more has to be known.
  if (total === room.length) {
    const { size } = fstatSync(descriptor);
    if (size > MAX_SEARCHED_BYTES) return undefined;
    if (size > total) {
      const read = room;
      room = Buffer.alloc(size);
      read.copy(room);
      for (let count = -1; count !== 0 && total < size; total += count)
        count = readSync(descriptor, room, total, size - total, null);
    }
  }
  return room.subarray(0, total);
}
