/**
 * Reads the unified diffs that models write: counts may be wrong or missing, blank context lines may lack their space,
 * and there may be a code fence or the noise of `git diff` around them. Also reads the "*** Begin Patch" format. Finds
 * no positions and never looks at a file. Pure.
 */
export interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
  /** Followed by "\ No newline at end of file". */
  hasNoNewline: boolean;
}

export interface Hunk {
  /** As the header states them; a diff written by hand may lack them. */
  readonly oldStart: number | undefined;
  readonly oldCount: number | undefined;
  readonly newStart: number | undefined;
  readonly lines: readonly DiffLine[];
}

export interface FileDiff {
  /** From the headers; undefined in a diff without them. */
  readonly path: string | undefined;
  readonly kind: 'change' | 'create' | 'delete' | 'rename';
  readonly hunks: readonly Hunk[];
}

/** The files of a diff that have hunks or are to be deleted; none if the text is not a diff. */
export function parseDiff(text: string): FileDiff[] {
  const lines = withoutFence(text.split(/\r?\n/));
  const isEnveloped = lines.some((line) => line.startsWith('*** Begin Patch'));
  const files: DraftFile[] = [];
  let file: DraftFile | undefined;
  let hunk: DraftHunk | undefined;
  const open = (header: Pick<FileDiff, 'path' | 'kind'>): DraftFile => {
    const opened: DraftFile = { ...header, hunks: [] };
    files.push(opened);
    hunk = undefined;
    return opened;
  };
  const openHunk = (header: string): DraftHunk => {
    file ??= open({ path: undefined, kind: 'change' });
    const opened = toHunk(header);
    file.hunks.push(opened);
    return opened;
  };
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    // Most lines; the others take longer to tell apart.
    if (hunk && /^(?:[ +]|-(?!-- ))/.test(line)) {
      addLine(hunk.lines, line);
    } else if (isEnveloped && line.startsWith('*** ')) {
      const [, verb = '', path] = /^\*\*\* (Add|Update|Delete) File: (.+)$/.exec(line) ?? [];
      const kind = ENVELOPE_KINDS[verb];
      if (kind) file = open({ path, kind });
      else if (!line.startsWith('*** End of File')) hunk = undefined;
    } else if (isFileHeader(lines, at, hunk)) {
      file = open(toHeader(toPath(line), toPath(lines[++at] ?? '')));
    } else if (line.startsWith('@@')) {
      hunk = openHunk(line);
    } else if (/^(?:diff --git |Index: )/.test(line)) {
      hunk = undefined;
      file = undefined;
    } else if (hunk) {
      addLine(hunk.lines, line);
    } else if (file && file.hunks.length === 0 && /^[-+ ]/.test(line)) {
      // Lines right after the file headers, without "@@".
      hunk = openHunk('');
      addLine(hunk.lines, line);
    }
  }
  return files
    .map((parsed) => ({ ...parsed, hunks: parsed.hunks.map(withoutTrailingBlanks).filter(hasChange) }))
    .filter(({ hunks, kind }) => hunks.length > 0 || kind === 'delete');
}

const ENVELOPE_KINDS: Readonly<Record<string, FileDiff['kind']>> = {
  Add: 'create',
  Update: 'change',
  Delete: 'delete',
};

interface DraftHunk extends Omit<Hunk, 'lines'> {
  readonly newCount: number | undefined;
  readonly lines: DraftLine[];
}

interface DraftLine extends DiffLine {
  /** The line had no sign. */
  readonly isBare?: boolean;
}

interface DraftFile extends Omit<FileDiff, 'hunks'> {
  readonly hunks: DraftHunk[];
}

function withoutFence(lines: readonly string[]): readonly string[] {
  const all = lines.at(-1) === '' ? lines.slice(0, -1) : lines;
  const first = all.findIndex((line) => line.trim() !== '');
  if (!all[first]?.startsWith('```')) return all;
  const last = all.findLastIndex((line) => line.trimEnd() === '```');
  return all.slice(first + 1, last > first ? last : undefined);
}

/** "--- a" and "+++ b" may also be lines of a hunk; then its counts say so. */
function isFileHeader(lines: readonly string[], at: number, hunk: DraftHunk | undefined): boolean {
  if (!/^--- \S/.test(lines[at] ?? '') || !/^\+\+\+ \S/.test(lines[at + 1] ?? '')) return false;
  if (!hunk) return true;
  const next = lines[at + 2];
  if (next !== undefined && !next.startsWith('@@')) return false;
  return hunk.oldCount !== countOf(hunk, '+') + 1 || hunk.newCount !== countOf(hunk, '-') + 1;
}

/** Lines that do not have this sign. */
function countOf({ lines }: Pick<DraftHunk, 'lines'>, otherSign: '-' | '+'): number {
  return lines.filter(({ sign }) => sign !== otherSign).length;
}

/** Without the date that may follow a tab, and without quotes. */
function toPath(header: string): string {
  const [path = ''] = header.slice(4).split('\t');
  return path.trim().replace(/^"(.*)"$/, '$1');
}

/** Git puts `a/` and `b/` before the two names of a file. */
function toHeader(from: string, to: string): Pick<FileDiff, 'path' | 'kind'> {
  const [old, next] = [from.replace(/^a\//, ''), to.replace(/^b\//, '')];
  if (from === NO_FILE) return { path: next, kind: 'create' };
  if (to === NO_FILE) return { path: old, kind: 'delete' };
  if (from === to) return { path: to, kind: 'change' };
  return { path: next, kind: old === next ? 'change' : 'rename' };
}

/** The name of a file that does not exist. */
const NO_FILE = '/dev/null';

function toHunk(header: string): DraftHunk {
  const [, oldStart, oldCount, newStart, newCount] =
    /^@@+\s*-(\d+)(?:,(\d+))?(?:\s*\+(\d+)(?:,(\d+))?)?/.exec(header) ?? [];
  const toNumber = (digits: string | undefined) => (digits === undefined ? undefined : Number(digits));
  return {
    oldStart: toNumber(oldStart),
    oldCount: toNumber(oldCount),
    newStart: toNumber(newStart),
    newCount: toNumber(newCount),
    lines: [],
  };
}

function addLine(lines: DraftLine[], line: string): void {
  const last = lines.at(-1);
  const sign = line[0];
  if (sign === ' ' || sign === '-' || sign === '+') {
    lines.push({ sign, text: line.slice(1), hasNoNewline: false });
  } else if (/^\\ No newline/i.test(line)) {
    if (last) last.hasNoNewline = true;
  } else {
    lines.push({ sign: ' ', text: line, hasNoNewline: false, isBare: true });
  }
}

/** Empty lines after a hunk belong to it only if both of its counts say so. */
function withoutTrailingBlanks(hunk: DraftHunk): DraftHunk {
  const end = hunk.lines.findLastIndex(({ isBare, text }) => !isBare || text !== '') + 1;
  const lines = hunk.lines.slice(0, end);
  const missing = (hunk.oldCount ?? 0) - countOf({ lines }, '+');
  const belongs = missing === (hunk.newCount ?? 0) - countOf({ lines }, '-');
  return { ...hunk, lines: hunk.lines.slice(0, end + (belongs ? Math.max(0, missing) : 0)) };
}

function hasChange({ lines }: Pick<Hunk, 'lines'>): boolean {
  return lines.some(({ sign }) => sign !== ' ');
}
