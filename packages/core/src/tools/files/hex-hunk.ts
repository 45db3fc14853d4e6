/**
 * The difference of two binary files as one hunk of hex dump rows, `00000010  de ad be ef  |....|`. Pure.
 */
const ROW_BYTES = 16;
const CONTEXT_ROWS = 3;
/** Characters of a row besides the letters: prefix, offset, hex, bars, blanks, line break. */
const ROW_CHARS = 63;

export interface HexHunk {
  readonly text: string;
  /** Rows at the end that were not made, and the bytes of their text. */
  readonly missing: { readonly lines: number; readonly bytes: number };
}

/**
 * Rows that both files begin with are left out, and those they end with if their sizes are equal. The new rows come first, so that
 * those are what is left of a long hunk.
 */
export function toHexHunk(before: Buffer, after: Buffer, maxChars: number): HexHunk {
  const isSameSize = before.length === after.length;
  const [oldRows, rows] = [rowsOf(before), rowsOf(after)];
  const first = Math.floor(commonLength(before, after) / ROW_BYTES);
  let end = rows;
  if (isSameSize) while (end > first && rowAt(before, end - 1).equals(rowAt(after, end - 1))) end--;
  const oldEnd = isSameSize ? end : oldRows;
  const top = Math.max(0, first - CONTEXT_ROWS);
  const bottom = isSameSize ? Math.min(rows, end + CONTEXT_ROWS) : end;
  const shared = first - top + bottom - end;
  const startOf = (count: number): number => (count === 0 ? top : top + 1);
  const [oldCount, newCount] = [shared + oldEnd - first, shared + end - first];
  const lines = [`@@ -${startOf(oldCount)},${oldCount} +${startOf(newCount)},${newCount} @@\n`];
  const maxLines = Math.ceil(maxChars / ROW_CHARS);
  let [missingLines, missingBytes] = [0, 0];
  const add = (content: Buffer, from: number, to: number, prefix: string): void => {
    const made = Math.max(from, Math.min(to, from + maxLines - lines.length));
    for (let row = from; row < made; row++) lines.push(toRow(rowAt(content, row), row, prefix));
    missingLines += to - made;
    missingBytes += (to - made) * ROW_CHARS + content.subarray(made * ROW_BYTES, to * ROW_BYTES).length;
  };
  add(after, top, first, ' ');
  add(after, first, end, '+');
  add(before, first, oldEnd, '-');
  add(after, end, bottom, ' ');
  return { text: lines.join(''), missing: { lines: missingLines, bytes: missingBytes } };
}

function rowsOf(content: Buffer): number {
  return Math.ceil(content.length / ROW_BYTES);
}

function commonLength(a: Buffer, b: Buffer): number {
  const length = Math.min(a.length, b.length);
  let at = 0;
  while (at < length && a[at] === b[at]) at++;
  return at;
}

function rowAt(content: Buffer, row: number): Buffer {
  return content.subarray(row * ROW_BYTES, (row + 1) * ROW_BYTES);
}

function toRow(bytes: Buffer, row: number, prefix: string): string {
  const hex = (bytes.toString('hex').match(/../g) ?? []).join(' ').padEnd(ROW_BYTES * 3 - 1);
  const letters = bytes.toString('latin1').replace(/[^ -~]/g, '.');
  return `${prefix}${(row * ROW_BYTES).toString(16).padStart(8, '0')}  ${hex}  |${letters}|\n`;
}
