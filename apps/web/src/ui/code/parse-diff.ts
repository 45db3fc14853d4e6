/**
 * Parses a unified diff, of one file or several, into lines with numbers on both sides, a gap marker between hunks and the name
 * of each further file. Every line of the text is in the result, except the headers whose facts it has. Text that is not a diff
 * becomes plain lines.
 */

export interface DiffLine {
  readonly kind: 'added' | 'removed' | 'same' | 'hunk' | 'note' | 'file';
  readonly text: string;
  readonly before: number | undefined;
  readonly after: number | undefined;
}

export interface Diff {
  readonly lines: readonly DiffLine[];
  readonly added: number;
  readonly removed: number;
  /** Every line ends with CR LF; the CR is not part of the texts. */
  readonly isWindows?: true;
  /** Lines are missing, or the text is not a diff: line numbers are meaningless. */
  readonly isPartial?: true;
  /** The text does not contain the whole change. */
  readonly isCut?: true;
}

/** `path`: the file that is named beside the diff; its name is not a line. */
export function parseDiff(text: string, path?: string): Diff {
  const source = text.replace(/\n$/, '').split('\n');
  const lines: DiffLine[] = [];
  const note = (kind: 'note' | 'hunk' | 'file', shown: string): unknown =>
    lines.push({ kind, text: shown, before: undefined, after: undefined });
  let hunk: OpenHunk | undefined;
  let isFirstHunk = true;
  for (let at = 0; at < source.length; at++) {
    const line = source[at] ?? '';
    const next = toHunk(line);
    const header = hunk && !isOver(hunk) ? undefined : readHeader(source, at);
    if (header) {
      note('file', header.path);
      at += header.lines - 1;
      isFirstHunk = true;
      hunk = undefined;
    } else if (next) {
      if (!isFirstHunk) note('hunk', '…');
      if (next.heading !== '') note('note', next.heading);
      isFirstHunk = false;
      hunk = next;
    } else lines.push((hunk && takeLine(hunk, line)) ?? { ...EMPTY, kind: 'note', text: line });
  }
  const count = (kind: DiffLine['kind']): number => lines.filter((line) => line.kind === kind).length;
  const isCut = lines.some(({ kind, text: shown }) => kind === 'note' && CUT.test(shown));
  return {
    ...withoutCommonReturns(withoutOnlyName(lines, path)),
    added: count('added'),
    removed: count('removed'),
    ...(isCut || hunk === undefined ? { isPartial: true } : {}),
    ...(isCut || (hunk === undefined && SIZES_ONLY.test(text)) ? { isCut: true } : {}),
  };
}

/** Plain text in the same shape: numbered lines. */
export function toPlainLines(text: string): Diff {
  const lines = text
    .split('\n')
    .map((line, index) => ({ kind: 'same', text: line, before: undefined, after: index + 1 }) as const);
  return { lines, added: 0, removed: 0 };
}

interface OpenHunk {
  readonly heading: string;
  before: number;
  after: number;
  /** Lines that its header announces and that have not come yet. */
  beforeLeft: number;
  afterLeft: number;
}

function toHunk(line: string): OpenHunk | undefined {
  const [, before, beforeLeft = '1', after, afterLeft = '1', heading = ''] = HUNK.exec(line) ?? [];
  if (before === undefined) return undefined;
  return {
    heading: heading.trim(),
    before: Number(before),
    after: Number(after),
    beforeLeft: Number(beforeLeft),
    afterLeft: Number(afterLeft),
  };
}

function isOver({ beforeLeft, afterLeft }: OpenHunk): boolean {
  return beforeLeft <= 0 && afterLeft <= 0;
}

/** Undefined for a line that belongs to no version of the file. */
function takeLine(hunk: OpenHunk, line: string): DiffLine | undefined {
  const [sign, text] = [line.charAt(0), line.slice(1)];
  if (sign === '+') {
    hunk.afterLeft--;
    return { kind: 'added', text, before: undefined, after: hunk.after++ };
  }
  if (sign === '-') {
    hunk.beforeLeft--;
    return { kind: 'removed', text, before: hunk.before++, after: undefined };
  }
  if (sign !== ' ' && line !== '') return undefined;
  hunk.beforeLeft--;
  hunk.afterLeft--;
  return { kind: 'same', text, before: hunk.before++, after: hunk.after++ };
}

/** The header of a file: `Index:` and a rule, which may be missing, and both names. They are left out because `path` says it. */
function readHeader(source: readonly string[], start: number): { path: string; lines: number } | undefined {
  let at = start;
  const indexed = source[at]?.startsWith('Index: ') ? source[at++]?.slice('Index: '.length) : undefined;
  if (/^=+$/.test(source[at] ?? '')) at++;
  const [, before] = /^--- (.*)$/.exec(source[at] ?? '') ?? [];
  const [, after] = /^\+\+\+ (.*)$/.exec(source[at + 1] ?? '') ?? [];
  if (before === undefined || after === undefined) return undefined;
  const names = [indexed, before, after].filter((name) => name !== undefined && name !== '/dev/null');
  return { path: [...new Set(names)].join(' → '), lines: at + 2 - start };
}

function withoutOnlyName(lines: readonly DiffLine[], path: string | undefined): readonly DiffLine[] {
  const names = lines.filter(({ kind }) => kind === 'file');
  return names.length === 1 && (path === undefined || names[0]?.text === path)
    ? lines.filter(({ kind }) => kind !== 'file')
    : lines;
}

/** If every line ends with CR, reports it once instead of per line. */
function withoutCommonReturns(lines: readonly DiffLine[]): Pick<Diff, 'lines' | 'isWindows'> {
  const isContent = ({ kind }: DiffLine): boolean =>
    kind === 'added' || kind === 'removed' || kind === 'same';
  const content = lines.filter(isContent);
  const isOpen = lines.some(({ kind, text }) => kind === 'note' && text.startsWith('\\'));
  if (isOpen || content.length === 0 || !content.every(({ text }) => text.endsWith('\r'))) return { lines };
  return {
    lines: lines.map((line) => (isContent(line) ? { ...line, text: line.text.slice(0, -1) } : line)),
    isWindows: true,
  };
}

const EMPTY = { before: undefined, after: undefined };
const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)$/;
/** Where the rest is missing. */
const CUT = /^…/;
/** Of earlier versions, for a file that could not be compared. */
const SIZES_ONLY = /^[^\n]*: (?:new file|\d+ bytes) → \d+ bytes\n?$/;

export interface DiffRow extends DiffLine {
  /** Continues the line of the row before. */
  readonly isMore?: true;
}

/** Three rows of text in a wide window, about ten on a phone. */
const MAX_ROW_CHARS = 400;

/**
 * The lines of a diff as rows that a browser lays out quickly: a long line is cut into several. A run of blanks, which is shown
 * as its length, is not cut.
 */
export function toDiffRows({ lines }: Pick<Diff, 'lines'>): readonly DiffRow[] {
  if (lines.every(({ text }) => text.length <= MAX_ROW_CHARS)) return lines;
  return lines.flatMap((line): DiffRow | DiffRow[] =>
    line.text.length <= MAX_ROW_CHARS
      ? line
      : (line.text.match(PIECES) ?? []).map((text, index) =>
          index === 0
            ? { ...line, text }
            : { kind: line.kind, text, before: undefined, after: undefined, isMore: true },
        ),
  );
}

const PIECES = new RegExp(
  `(?:(?:\\p{White_Space}|[\\u115f\\u1160\\u2800\\u3164\\uffa0]){21,}|.){1,${MAX_ROW_CHARS}}`,
  'gsu',
);
