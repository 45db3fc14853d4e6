/**
 * Exact diff of two versions of a file for a user to review, as text or as a hex dump. Pure.
 */
import { isCutPreview } from '@crewagent/protocol/described-actions';
import { formatPatch, structuredPatch } from 'diff';
import { BOM_BYTES, type DecodedText, decodeText, encodeText, type TextEncoding } from './text-file.ts';
import { countLines, createTextLines } from './text-lines.ts';

/** As much as one write may contain; longer diffs are truncated. */
const MAX_DIFF_CHARS = 2 * 1024 * 1024;
/** A larger part that changed is shown as removed and added, without looking for common lines in it. */
const MAX_COMPARED_CHARS = 1024 * 1024;
const CONTEXT_LINES = 3;

export function diffOf(path: string, before: Buffer | undefined, after: Buffer): string {
  const [old, next] = [toVersion(before), toVersion(after)];
  const notes = describeEncoding(old, next);
  const diff = textDiffOf(path, old, next);
  if (diff !== undefined) return truncateDiff(`${notes}${diff}`, MAX_DIFF_CHARS);
  const sizes = `${before === undefined ? 'new file' : `${before.length} bytes`} → ${after.length} bytes`;
  const { text, missing } = toHexHunk(before ?? NONE, after, MAX_DIFF_CHARS);
  return truncateDiff(`${notes}${path}: ${sizes}\n${text}`, MAX_DIFF_CHARS, missing);
}

export type Patch =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: 'binary' | 'too-large' };

/** The full patch of a text; undefined content means the file does not exist. */
export function patchOf(path: string, before: Buffer | undefined, after: Buffer | undefined): Patch {
  const [old, next] = [toVersion(before), toVersion(after)];
  const diff = textDiffOf(path, old, next);
  if (diff === undefined) return { ok: false, reason: 'binary' };
  const text = `${describeEncoding(old, next)}${diff}`;
  return text.length > MAX_DIFF_CHARS ? { ok: false, reason: 'too-large' } : { ok: true, text };
}

function toVersion(bytes: Buffer | undefined): FileVersion {
  const decoded = bytes && decodeText(bytes);
  // A character that replaces invalid bytes would hide which ones they are.
  const isExact =
    decoded?.encoding !== 'utf8-bom' || encodeText(decoded.text, 'utf8-bom')?.equals(bytes ?? NONE);
  return { bytes, decoded: isExact ? decoded : undefined };
}

const NONE = Buffer.alloc(0);

/** Undefined if one of the versions is not text. */
function textDiffOf(path: string, before: FileVersion, after: FileVersion): string | undefined {
  const textOf = ({ bytes, decoded }: FileVersion): string | undefined => (bytes ? decoded?.text : '');
  const [old, next] = [textOf(before), textOf(after)];
  if (old === undefined || next === undefined) return undefined;
  const nameOf = ({ bytes }: FileVersion): string => (bytes === undefined ? '/dev/null' : path);
  const header = formatPatch({
    oldFileName: nameOf(before),
    newFileName: nameOf(after),
    oldHeader: undefined,
    newHeader: undefined,
    hunks: [],
  });
  return `${header}${toHunks(old, next)}`;
}

/** Trims the lines that both versions begin and end with, which is linear, and compares the lines between them. */
function toHunks(old: string, next: string): string {
  if (old === next) return '';
  const [before, after] = [createTextLines(old), createTextLines(next)];
  const shorter = Math.min(before.count, after.count);
  const isSame = (line: number, other: number): boolean =>
    before.slice(line, line + 1) === after.slice(other, other + 1);
  let [start, tail] = [0, 0];
  while (start < shorter && isSame(start, start)) start++;
  while (start + tail < shorter && isSame(before.count - 1 - tail, after.count - 1 - tail)) tail++;
  const [oldEnd, nextEnd] = [before.count - tail, after.count - tail];
  const top = Math.max(0, start - CONTEXT_LINES);
  const below = Math.min(tail, CONTEXT_LINES);
  const [oldPart, nextPart] = [before.slice(start, oldEnd), after.slice(start, nextEnd)];
  const isComparable =
    oldPart !== '' && nextPart !== '' && oldPart.length + nextPart.length <= MAX_COMPARED_CHARS;
  const [from, to] = [before.slice(top, oldEnd + below), after.slice(top, nextEnd + below)];
  const patch = isComparable
    ? structuredPatch('', '', from, to, '', '', { context: CONTEXT_LINES, timeout: 500 })
    : undefined;
  if (patch)
    return patch.hunks
      .map(({ oldStart, oldLines, newStart, newLines, lines }) => {
        const head = toHunkHead(oldStart + top, oldLines, newStart + top, newLines);
        return `${head}${lines.join('\n')}\n`;
      })
      .join('');
  const shared = start - top + below;
  const head = toHunkHead(top + 1, shared + oldEnd - start, top + 1, shared + nextEnd - start);
  const [removed, added] = [prefixLines(oldPart, '-'), prefixLines(nextPart, '+')];
  // Where not all of it can be shown, the new lines are.
  const isLong = removed.length + added.length > MAX_DIFF_CHARS;
  const above = prefixLines(before.slice(top, start), ' ');
  const context = prefixLines(before.slice(oldEnd, oldEnd + below), ' ');
  return `${head}${above}${isLong ? added + removed : removed + added}${context}`;
}

/** A side without lines is numbered with the line before it. */
function toHunkHead(oldStart: number, oldLines: number, newStart: number, newLines: number): string {
  const [from, to] = [oldLines === 0 ? oldStart - 1 : oldStart, newLines === 0 ? newStart - 1 : newStart];
  return `@@ -${from},${oldLines} +${to},${newLines} @@\n`;
}

function prefixLines(text: string, prefix: string): string {
  if (text === '') return '';
  const lines = `${prefix}${text.replace(/\n(?!$)/g, `\n${prefix}`)}`;
  return text.endsWith('\n') ? lines : `${lines}\n\\ No newline at end of file\n`;
}

/** Lines that a diff of two texts adds and removes; undefined for one that is cut, or compares no lines. */
export function countChanges(diff: string): { added: number; removed: number } | undefined {
  const [head = '', ...hunks] = diff.split(/^(?=@@ )/m);
  if (!head.includes('\n--- ') && !head.startsWith('--- ')) return undefined;
  if (isCutPreview(diff)) return undefined;
  const lines = hunks.flatMap((hunk) => hunk.split('\n').slice(1));
  return {
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
  };
}

/** Whether a complete diff removes every line of a text, except for blank ones. */
export function removesAll(diff: string, text: string): boolean {
  const [, ...hunks] = diff.split(/^@@ .*\n/m);
  const removed = hunks.join('').match(/^-.*\S/gm) ?? [];
  return removed.length >= (text.match(/^.*\S/gm) ?? []).length;
}

/**
 * Cuts a long diff, at the end of a line if it can, and says how much is missing (`isCutPreview`). `more`: what is missing at the
 * end of `diff` already.
 */
export function truncateDiff(diff: string, maxChars: number, more = { lines: 0, bytes: 0 }): string {
  if (diff.length <= maxChars && more.lines === 0) return diff;
  const lineEnd = diff.lastIndexOf('\n', maxChars - 1) + 1;
  const isLong = lineEnd < maxChars / 2 && diff.length > maxChars;
  const at = isLong ? maxChars : lineEnd;
  const rest = diff.slice(at);
  const lines = countLines(rest) + more.lines;
  const missing = `${grouped(lines)} more ${lines === 1 ? 'line' : 'lines'}`;
  const bytes = grouped(Buffer.byteLength(rest) + more.bytes);
  return `${diff.slice(0, at)}${isLong ? '\n' : ''}… ${missing} (${bytes} bytes), not shown\n`;
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

/** One version of a file, undefined if there is none; `decoded` is undefined if it is not text. */
interface FileVersion {
  readonly bytes: Buffer | undefined;
  readonly decoded: DecodedText | undefined;
}

/** What changes besides the lines, for the beginning of a preview: a diff of decoded texts does not show it. */
function describeEncoding(before: FileVersion, after: FileVersion): string {
  const [old, next] = [before.decoded, after.decoded];
  const notes: string[] = [];
  if (next && (old || !before.bytes)) {
    if (old && isReencoded(before, after))
      notes.push(`Encoding: ${NAMES[old.encoding]} → ${NAMES[next.encoding]} (the whole file is re-encoded)`);
    if (hasMark(old?.encoding) !== hasMark(next.encoding))
      notes.push(`Byte-order mark: ${hasMark(next.encoding) ? 'added' : 'removed'}`);
    const [from, to] = [endingsOf(old?.text ?? ''), endingsOf(next.text)];
    if (from && to && from !== to) notes.push(`Line endings: ${from} → ${to}`);
  }
  return notes.map((note) => `${note}\n`).join('');
}

function isReencoded(before: FileVersion, after: FileVersion): boolean {
  const names = [before, after].map(({ decoded }) => decoded && NAMES[decoded.encoding]);
  if (names[0] === names[1]) return false;
  // Plain ASCII has the same bytes in all of them but UTF-16.
  return names.some((name) => name?.startsWith('UTF-16')) || !(isAscii(before.bytes) || isAscii(after.bytes));
}

const NAMES: Readonly<Record<TextEncoding, string>> = {
  utf8: 'UTF-8',
  'utf8-bom': 'UTF-8',
  utf16le: 'UTF-16 LE',
  utf16be: 'UTF-16 BE',
  latin1: 'Latin-1',
};

function hasMark(encoding: TextEncoding | undefined): boolean {
  return encoding !== undefined && BOM_BYTES[encoding] > 0;
}

function isAscii(bytes: Buffer | undefined): boolean {
  return bytes?.every((byte) => byte < 0x80) ?? true;
}

/** Undefined if the text has a single line. */
function endingsOf(text: string): 'LF' | 'CRLF' | 'mixed' | undefined {
  const hasWindows = text.includes('\r\n');
  const hasPlain = /(?:^|[^\r])\n/.test(text);
  if (hasWindows && hasPlain) return 'mixed';
  if (hasWindows) return 'CRLF';
  return hasPlain ? 'LF' : undefined;
}

const ROW_BYTES = 16;
const CONTEXT_ROWS = 3;
/** Characters of a row besides the letters: prefix, offset, hex, bars, blanks, line break. */
const ROW_CHARS = 63;

/** One hunk of hex dump rows, `00000010  de ad be ef  |....|`. */
interface HexHunk {
  readonly text: string;
  /** Rows at the end that were not made, and the bytes of their text. */
  readonly missing: { readonly lines: number; readonly bytes: number };
}

/**
 * Rows that both files begin with are left out, and those they end with if their sizes are equal. The new rows come first, so that
 * those are what is left of a long hunk.
 */
function toHexHunk(before: Buffer, after: Buffer, maxChars: number): HexHunk {
  const isSameSize = before.length === after.length;
  const [oldRows, rows] = [rowsOf(before), rowsOf(after)];
  const first = Math.floor(commonBytes(before, after) / ROW_BYTES);
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

function commonBytes(a: Buffer, b: Buffer): number {
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
