/**
 * Parses a unified diff into lines with numbers on both sides and a gap marker between hunks. Text that is not a diff becomes
 * plain lines.
 */
export interface DiffLine {
  readonly kind: 'added' | 'removed' | 'same' | 'hunk' | 'note';
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
}

export function parseDiff(text: string): Diff {
  const lines: DiffLine[] = [];
  let before = 0;
  let after = 0;
  let isInHunk = false;
  let hasHunk = false;
  const files: DiffLine[] = [];
  /** Lines of the hunk that are still to come, on each side. */
  let left = { before: 0, after: 0 };
  for (const line of text.replace(/\n$/, '').split('\n')) {
    const hunk = HUNK.exec(line);
    if (hunk) {
      before = Number(hunk[1]);
      after = Number(hunk[3]);
      if (isInHunk) lines.push({ kind: 'hunk', text: '…', before: undefined, after: undefined });
      isInHunk = true;
      hasHunk = true;
      left = { before: Number(hunk[2] ?? 1), after: Number(hunk[4] ?? 1) };
    } else if (HEADER.test(line) && left.before <= 0 && left.after <= 0) {
      if (!line.startsWith('+++ ')) continue;
      files.push(toNote(line.slice('+++ '.length)));
      // The next file of a diff of several, which name all of them.
      if (files.length === 2) lines.unshift(...files.slice(0, 1));
      if (files.length > 1) lines.push(...files.slice(-1));
      isInHunk = false;
    } else if (!isInHunk) {
      lines.push(toNote(line));
    } else if (line.startsWith('+')) {
      left.after--;
      lines.push({ kind: 'added', text: line.slice(1), before: undefined, after: after++ });
    } else if (line.startsWith('-')) {
      left.before--;
      lines.push({ kind: 'removed', text: line.slice(1), before: before++, after: undefined });
    } else if (line.startsWith('\\') || line.startsWith('…')) {
      lines.push(toNote(line));
    } else {
      left.before--;
      left.after--;
      lines.push({ kind: 'same', text: line.slice(1), before: before++, after: after++ });
    }
  }
  const count = (kind: DiffLine['kind']): number => lines.filter((line) => line.kind === kind).length;
  const isCutOff = lines.some(({ kind, text }) => kind === 'note' && text.startsWith('…'));
  const numbers = { added: count('added'), removed: count('removed') };
  return {
    ...withoutCommonReturns(lines),
    ...numbers,
    ...(isCutOff || !hasHunk ? { isPartial: true } : {}),
  };
}

function toNote(text: string): DiffLine {
  return { kind: 'note', text, before: undefined, after: undefined };
}

/** Plain text in the same shape: numbered lines. */
export function toPlainLines(text: string): Diff {
  const lines = text
    .split('\n')
    .map((line, index) => ({ kind: 'same', text: line, before: undefined, after: index + 1 }) as const);
  return { lines, added: 0, removed: 0 };
}

/** If every line ends with CR, reports it once instead of per line. */
function withoutCommonReturns(lines: readonly DiffLine[]): Pick<Diff, 'lines' | 'isWindows'> {
  const isContent = ({ kind }: DiffLine): boolean => kind !== 'hunk' && kind !== 'note';
  const content = lines.filter(isContent);
  const isOpen = lines.some(({ kind, text }) => kind === 'note' && text.startsWith('\\'));
  if (isOpen || content.length === 0 || !content.every(({ text }) => text.endsWith('\r'))) return { lines };
  return {
    lines: lines.map((line) => (isContent(line) ? { ...line, text: line.text.slice(0, -1) } : line)),
    isWindows: true,
  };
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
const HEADER = /^(?:Index: |=+$|--- |\+\+\+ |diff |index )/;
