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
  for (const line of text.replace(/\n$/, '').split('\n')) {
    const hunk = HUNK.exec(line);
    if (hunk) {
      before = Number(hunk[1]);
      after = Number(hunk[2]);
      if (isInHunk) lines.push({ kind: 'hunk', text: '…', before: undefined, after: undefined });
      isInHunk = true;
    } else if (!isInHunk) {
      if (!HEADER.test(line)) lines.push({ kind: 'note', text: line, before: undefined, after: undefined });
    } else if (line.startsWith('+')) {
      lines.push({ kind: 'added', text: line.slice(1), before: undefined, after: after++ });
    } else if (line.startsWith('-')) {
      lines.push({ kind: 'removed', text: line.slice(1), before: before++, after: undefined });
    } else if (line.startsWith('\\') || line.startsWith('…')) {
      lines.push({ kind: 'note', text: line, before: undefined, after: undefined });
    } else {
      lines.push({ kind: 'same', text: line.slice(1), before: before++, after: after++ });
    }
  }
  const count = (kind: DiffLine['kind']): number => lines.filter((line) => line.kind === kind).length;
  const isCutOff = lines.some(({ kind, text }) => kind === 'note' && text.startsWith('…'));
  const numbers = { added: count('added'), removed: count('removed') };
  return {
    ...withoutCommonReturns(lines),
    ...numbers,
    ...(isCutOff || !isInHunk ? { isPartial: true } : {}),
  };
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

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;
const HEADER = /^(?:Index: |=+$|--- |\+\+\+ |diff |index )/;
