/**
 * Text edits requested by a model: replacing a passage or applying the hunks of a diff. All of them or none; every byte
 * outside the edited ranges stays as it is. Pure.
 */
import { type NumberedText, parseNumberedLines } from '@crewagent/protocol/numbered-lines';
import * as z from '@crewagent/protocol/zod';
import { applyHunks, type HunksResult, unencodableReason } from './apply-hunks.ts';
import { applySection, type sectionSchema } from './apply-section.ts';
import type { Hunk } from './parse-diff.ts';
import { createTextLines } from './text-lines.ts';
import { encodeUnits, type TextUnits, toBytes, toTextUnits } from './text-units.ts';

export const replaceSchema = z.strictObject({
  operation: z.literal('replace'),
  find: z
    .string()
    .check(z.minLength(1), z.describe('Text that occurs in the file exactly once (or set all).')),
  replace: z.string(),
  all: z.optional(z.boolean()),
});

type Replacement = z.infer<typeof replaceSchema>;
export type TextEdit =
  | Replacement
  | z.infer<typeof sectionSchema>
  | { readonly operation: 'diff'; readonly hunks: readonly Hunk[] };

export type EditsResult =
  | { readonly ok: true; readonly bytes: Uint8Array }
  /** `edit`: index of the edit that cannot be applied; undefined if none can. */
  | { readonly ok: false; readonly edit?: number; readonly reason: string };

/** The state document has its own limit, which may be larger than `maxWriteBytes`. */
const MIN_BYTE_LIMIT = 1024 * 1024;

/** A result longer than `maxBytes` is rejected, even if a later edit would shorten it. */
export function applyEdits(content: Uint8Array, edits: readonly TextEdit[], maxBytes: number): EditsResult {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  let file = toTextUnits(bytes);
  if (!file) return { ok: false, reason: 'it is not a text file' };
  for (const [index, edit] of edits.entries()) {
    const maxChars = Math.max(maxBytes, file.units.length, MIN_BYTE_LIMIT);
    const edited = applyEdit(file, edit, maxChars);
    if (!edited.ok) return { ...edited, edit: index };
    if (edited.units.length > maxChars) return { ok: false, edit: index, reason: tooLongReason(maxChars) };
    file = { ...file, units: edited.units };
  }
  return { ok: true, bytes: toBytes(file) };
}

function applyEdit(file: TextUnits, edit: TextEdit, maxChars: number): Edited {
  switch (edit.operation) {
    case 'replace':
      return applyReplace(file, edit, maxChars);
    case 'section':
      return applySection(file, edit);
    case 'diff':
      return applyDiff(file, edit.hunks);
  }
}

/** A diff with the line numbers of `fs.read` in its lines is meant without them. */
function applyDiff(file: TextUnits, hunks: readonly Hunk[]): HunksResult {
  const result = applyHunks(file, hunks);
  const plain = result.ok ? undefined : hunks.map(withoutNumbers);
  if (!plain?.every((hunk) => hunk !== undefined)) return result;
  const again = applyHunks(file, plain);
  return again.ok ? again : result;
}

/** Undefined unless each line that the file has is numbered, without gaps. */
function withoutNumbers(hunk: Hunk): Hunk | undefined {
  const old = hunk.lines.filter(({ sign }) => sign !== '+');
  const numbered = parseNumberedLines(old.map(({ text }) => text).join('\n'));
  if (!numbered) return undefined;
  const lines = hunk.lines.map((line) => ({ ...line, text: line.text.replace(/^ *\d+:/, '') }));
  return { ...hunk, oldStart: numbered.first, lines };
}

function tooLongReason(maxChars: number): string {
  return `the result would be longer than the limit of ${maxChars} bytes`;
}

type Edited = { readonly ok: true; readonly units: string } | { readonly ok: false; readonly reason: string };

function applyReplace({ units, encoding }: TextUnits, edit: Replacement, maxChars: number): Edited {
  // Models write LF; the file may use CRLF.
  const toEndings = usesCrlf(units) ? toCrlf : (text: string) => text;
  const wanted = encodeUnits(toEndings(edit.find), encoding);
  const isKnown = wanted.ok && units.includes(wanted.units);
  // A file with mixed line endings.
  const other = isKnown ? wanted : encodeUnits(toCrlf(edit.find), encoding);
  const find = other.ok ? other.units : '';
  const first = find === '' ? -1 : units.indexOf(find);
  const numbered = first === -1 ? parseNumberedLines(edit.find) : undefined;
  const passage = numbered && findNumbered({ units, encoding }, numbered);
  if (passage)
    return replacePassage(
      units,
      passage,
      toEndings(parseNumberedLines(edit.replace)?.text ?? edit.replace),
      encoding,
    );
  if (first === -1)
    return reject('the text to find is not in the file; read the file again and copy the passage exactly');
  const made = encodeUnits(isKnown ? toEndings(edit.replace) : toCrlf(edit.replace), encoding);
  if (!made.ok) return reject(unencodableReason(made.character, encoding));
  if (edit.all) {
    const parts = units.split(find);
    const chars = units.length + (parts.length - 1) * (made.units.length - find.length);
    return chars > maxChars ? reject(tooLongReason(maxChars)) : { ok: true, units: parts.join(made.units) };
  }
  if (units.indexOf(find, first + 1) !== -1)
    return reject(
      'the text to find occurs in the file more than once; add surrounding lines to it, or set all to true',
    );
  return { ok: true, units: units.slice(0, first) + made.units + units.slice(first + find.length) };
}

interface Passage {
  readonly start: number;
  readonly end: number;
}

/** The lines with these numbers, if they have this text. */
function findNumbered(
  { units, encoding }: Pick<TextUnits, 'units' | 'encoding'>,
  { first, text }: NumberedText,
): Passage | undefined {
  const encoded = encodeUnits(usesCrlf(units) ? toCrlf(text) : text, encoding);
  const start = createTextLines(units).offsetOf(first - 1);
  return first > 0 && encoded.ok && encoded.units !== '' && units.startsWith(encoded.units, start)
    ? { start, end: start + encoded.units.length }
    : undefined;
}

function replacePassage(
  units: string,
  { start, end }: Passage,
  text: string,
  encoding: TextUnits['encoding'],
): Edited {
  const made = encodeUnits(text, encoding);
  if (!made.ok) return reject(unencodableReason(made.character, encoding));
  return { ok: true, units: units.slice(0, start) + made.units + units.slice(end) };
}

/** Every line ending is CRLF. */
function usesCrlf(units: string): boolean {
  return units.includes('\r\n') && !/(?:^|[^\r])\n/.test(units);
}

function toCrlf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

function reject(reason: string): Edited {
  return { ok: false, reason };
}
