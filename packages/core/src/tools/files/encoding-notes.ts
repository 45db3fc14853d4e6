/**
 * What changes in a file besides its lines: encoding, byte-order mark, line endings, permission to execute. A diff of decoded texts
 * does not show it. Pure.
 */
import type { DecodedText, TextEncoding } from './text-file.ts';

export interface FileModes {
  readonly before?: number | undefined;
  readonly after?: number | undefined;
}

/** One version of a file, undefined if there is none; `decoded` is undefined if it is not text. */
export interface FileVersion {
  readonly bytes: Buffer | undefined;
  readonly decoded: DecodedText | undefined;
}

/** Lines for the beginning of a preview; empty if nothing of the kind changes. */
export function describeEncoding(before: FileVersion, after: FileVersion, modes: FileModes = {}): string {
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
  const [wasExecutable, isExecutable] = [canExecute(modes.before), canExecute(modes.after)];
  if (wasExecutable !== isExecutable)
    notes.push(isExecutable ? 'Executable: no → yes' : 'Executable: yes → no');
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
  return encoding === 'utf8-bom' || encoding === 'utf16le' || encoding === 'utf16be';
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

function canExecute(mode: number | undefined): boolean {
  return mode !== undefined && (mode & 0o111) !== 0;
}
