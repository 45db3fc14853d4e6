/**
 * What the built-in searcher does in its worker threads: walks a tree, looks through its share of the files, reports
 * the lines that match. A worker is started from the source of these functions (a bundle has no file of its own for
 * it), so they use nothing but each other and Node; all of them are listed in `SEARCH_WORKER_SOURCE`.
 */
import type { IgnoreRule, isIgnoredBy, parseRules } from './ignore-globs.ts';

/** A pattern as the worker's engine wants it. */
export interface WorkerPattern {
  /** Found byte by byte; undefined when letters may differ in case, or for a regular expression. */
  readonly exactText: string | undefined;
  readonly source: string;
  readonly flags: string;
  /** Whether it means the same without the u flag in a text of plain ASCII, where it is much faster. */
  readonly isPlainAscii: boolean;
  /** Whether it can match a line break, and so tells nothing about a text of several lines. */
  readonly spansLines: boolean;
}

export type WorkerTask =
  | { readonly kind: 'judge'; readonly pattern: WorkerPattern; readonly lines: readonly string[] }
  | {
      readonly kind: 'find';
      readonly pattern: WorkerPattern;
      readonly rootPath: string;
      readonly start: string;
      readonly rules: readonly string[];
      readonly skippedNames: readonly string[];
      readonly includeHidden: boolean;
      readonly maxLinesPerFile: number;
      readonly maxBytes: number;
      /** Each worker walks the whole tree, which is cheap, and reads one share of the files. */
      readonly share: number;
      readonly shares: number;
    };

/** Anything but `lines` is the last word on a task. */
export type WorkerReport =
  | { readonly kind: 'lines'; readonly path: string; readonly lines: readonly number[] }
  | { readonly kind: 'scanned'; readonly files: number }
  | { readonly kind: 'judged'; readonly indices: readonly number[] };

type Report = (message: WorkerReport) => void;

interface IgnoreEngine {
  readonly parseRules: typeof parseRules;
  readonly isIgnoredBy: typeof isIgnoredBy;
}

/** The rules of one `.gitignore`; they speak of paths below `folder`. */
interface RuleLayer {
  readonly folder: string;
  readonly rules: readonly IgnoreRule[];
}

/** Does task after task, until the thread is ended. */
export function startSearchWorker(ignoring: IgnoreEngine): void {
  const { parentPort } = process.getBuiltinModule('node:worker_threads');
  parentPort?.on('message', (task: WorkerTask) => {
    const report = (message: WorkerReport): void => parentPort.postMessage(message);
    if (task.kind === 'judge') judgeLines(task, report);
    else findLines(task, report, ignoring);
  });
}

function judgeLines({ pattern, lines }: WorkerTask & { kind: 'judge' }, report: Report): void {
  const expression = new RegExp(pattern.source, pattern.flags);
  const indexIn = (line: string): number => unlessTooDeep(() => line.search(expression)) ?? -1;
  report({ kind: 'judged', indices: lines.map(indexIn) });
}

function findLines(task: WorkerTask & { kind: 'find' }, report: Report, ignoring: IgnoreEngine): void {
  const { rootPath, share, shares, maxBytes, maxLinesPerFile } = task;
  const read = createReader(maxBytes);
  const match = createMatcher(task.pattern);
  let files = 0;
  for (const path of walkFiles(task, ignoring)) {
    if (shareOf(path, shares) !== share) continue;
    const bytes = read(`${rootPath}/${path}`);
    if (!bytes) continue;
    files++;
    const lines = unlessTooDeep(() => match(bytes, maxLinesPerFile));
    if (lines && lines.length > 0) report({ kind: 'lines', path, lines });
  }
  report({ kind: 'scanned', files });
}

/** A pattern that repeats a choice needs more stack than the engine has for a line of millions of characters. */
function unlessTooDeep<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Every file that the rules leave, links and special files apart. */
function* walkFiles(task: WorkerTask & { kind: 'find' }, ignoring: IgnoreEngine): Generator<string> {
  const fs = process.getBuiltinModule('node:fs');
  const { rootPath, start, includeHidden } = task;
  if (fs.lstatSync(`${rootPath}/${start}`, { throwIfNoEntry: false })?.isFile()) {
    yield start;
    return;
  }
  const read = createReader(1024 * 1024);
  const skipped = new Set(task.skippedNames);
  const outer = task.rules.length > 0 ? [{ folder: '', rules: ignoring.parseRules(task.rules) }] : [];
  const pending: { prefix: string; layers: readonly RuleLayer[] }[] = [
    { prefix: start === '' ? '' : `${start}/`, layers: outer },
  ];
  for (let folder = pending.pop(); folder; folder = pending.pop()) {
    const { prefix } = folder;
    let { layers } = folder;
    const entries = entriesOf(`${rootPath}/${prefix}`);
    if (entries.some(({ name }) => name === '.gitignore')) {
      const text = read(`${rootPath}/${prefix}.gitignore`)?.toString('utf8') ?? '';
      const rules = ignoring.parseRules(text.replace(/^\uFEFF/, '').split('\n'));
      layers = [{ folder: prefix, rules }, ...layers];
    }
    for (const entry of entries) {
      const { name } = entry;
      if ((!includeHidden && name.startsWith('.')) || skipped.has(name)) continue;
      const path = prefix + name;
      const isFolder = entry.isDirectory();
      if (!isFolder && !entry.isFile()) continue;
      if (layers.length > 0 && isIgnoredIn(layers, path, isFolder, ignoring)) continue;
      if (isFolder) pending.push({ prefix: `${path}/`, layers });
      else yield path;
    }
  }
}

/** The nearest `.gitignore` that has a word on it decides. */
function isIgnoredIn(
  layers: readonly RuleLayer[],
  path: string,
  isFolder: boolean,
  ignoring: IgnoreEngine,
): boolean {
  for (const { folder, rules } of layers) {
    const verdict = ignoring.isIgnoredBy(rules, path.slice(folder.length), isFolder);
    if (verdict !== undefined) return verdict;
  }
  return false;
}

function entriesOf(path: string) {
  try {
    return process.getBuiltinModule('node:fs').readdirSync(path, { withFileTypes: true });
  } catch {
    // Gone, or not ours to read: nothing to be found there.
    return [];
  }
}

/** Decided by the path alone, so that shares fit together even while the tree changes. */
function shareOf(path: string, shares: number): number {
  let hash = 0;
  for (let at = 0; at < path.length; at++) hash = (hash * 31 + path.charCodeAt(at)) | 0;
  return (hash >>> 0) % shares;
}

/** Reads whole files into one buffer that is used again and again; undefined for what is too large or cannot be read. */
function createReader(maxBytes: number): (path: string) => Buffer | undefined {
  const fs = process.getBuiltinModule('node:fs');
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
  let buffer = Buffer.allocUnsafeSlow(256 * 1024);
  return (path) => {
    let descriptor: number | undefined;
    try {
      descriptor = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      let length = 0;
      for (;;) {
        length += fs.readSync(descriptor, buffer, length, buffer.length - length, null);
        if (length < buffer.length) return buffer.subarray(0, length);
        if (length > maxBytes) return undefined;
        buffer = Buffer.concat([buffer], Math.min(buffer.length * 4, maxBytes + 1));
      }
    } catch {
      return undefined;
    } finally {
      if (descriptor !== undefined) fs.closeSync(descriptor);
    }
  };
}

/** A function from the bytes of a file to the numbers of its matching lines. */
function createMatcher(pattern: WorkerPattern): (bytes: Buffer, maxLines: number) => number[] {
  const { exactText, source, flags, spansLines, isPlainAscii } = pattern;
  const exactBytes = exactText === undefined ? undefined : Buffer.from(exactText);
  const line = new RegExp(source, flags);
  const asciiLine = isPlainAscii ? new RegExp(source, flags.replace('u', '')) : line;
  const whole = new RegExp(source, `${flags}m`);
  const asciiWhole = isPlainAscii ? new RegExp(source, whole.flags.replace('u', '')) : whole;
  return (bytes, maxLines) => {
    const marked = decodeMarked(bytes);
    // Most files have no match; these two tests are what a search costs.
    if (exactBytes && marked === undefined && !bytes.includes(exactBytes)) return [];
    const text = marked ?? bytes.toString('utf8');
    const isAscii = text.length === bytes.length;
    if (!exactBytes && !spansLines && !(isAscii ? asciiWhole : whole).test(text)) return [];
    if (text.includes('\0')) return [];
    const matched: number[] = [];
    const lines = text.split('\n');
    if (lines.at(-1) === '') lines.pop();
    for (let at = 0; at < lines.length && matched.length < maxLines; at++) {
      const content = (lines[at] ?? '').replace(/\r$/, '');
      const isMatch =
        exactText === undefined ? (isAscii ? asciiLine : line).test(content) : content.includes(exactText);
      if (isMatch) matched.push(at + 1);
    }
    return matched;
  };
}

/** The text of a file that says in its first bytes how it is encoded. */
function decodeMarked(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return bytes.toString('utf8', 3);
  if (bytes.length % 2 !== 0) return undefined;
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.toString('utf16le', 2);
  if (bytes[0] !== 0xfe || bytes[1] !== 0xff) return undefined;
  return Buffer.from(bytes.subarray(2)).swap16().toString('utf16le');
}

/** What a worker is made of, besides the functions of `ignore-globs.ts`. */
export const SEARCH_WORKER_SOURCE = [
  startSearchWorker,
  judgeLines,
  findLines,
  unlessTooDeep,
  walkFiles,
  isIgnoredIn,
  entriesOf,
  shareOf,
  createReader,
  createMatcher,
  decodeMarked,
].join('\n');
