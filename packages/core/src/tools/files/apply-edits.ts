/**
 * Text edits requested by a model: replacing a passage or applying the hunks of a diff. All of them or none; every byte
 * outside the edited ranges stays as it is. Pure.
 */
import { type NumberedText, parseNumberedLines } from '@crewagent/protocol/numbered-lines';
import * as z from '@crewagent/protocol/zod';
import { findHeadings, findSections, type Section, sectionIssue } from '../../base/markdown-headings.ts';
import { applyHunks, type EditedUnits, reject, unencodableReason } from './apply-hunks.ts';
import type { Hunk } from './parse-diff.ts';
import { newlineOf } from './text-file.ts';
import { createTextLines, type TextLines } from './text-lines.ts';
import { decodeUnits, encodeUnits, type TextUnits, toBytes, toTextUnits } from './text-units.ts';

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

function applyEdit(file: TextUnits, edit: TextEdit, maxChars: number): EditedUnits {
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
function applyDiff(file: TextUnits, hunks: readonly Hunk[]): EditedUnits {
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

function applyReplace({ units, encoding }: TextUnits, edit: Replacement, maxChars: number): EditedUnits {
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
): EditedUnits {
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

export const sectionSchema = z.strictObject({
  operation: z.literal('section'),
  heading: z.string().check(z.minLength(1)),
  content: z.string(),
  mode: z.optional(z.enum(['replace', 'append', 'insertAfter'])),
});

type SectionEdit = z.infer<typeof sectionSchema>;

/** Replaces or extends a section of a Markdown document. Lines outside of it, and blank lines around its text, stay as they are. */
function applySection(file: TextUnits, edit: SectionEdit): EditedUnits {
  const { units, encoding } = file;
  const headings = findHeadings(decodeUnits(units, encoding));
  const [section, ...others] = findSections(headings, edit.heading);
  if (!section || others.length > 0) return reject(`it ${sectionIssue(headings, edit.heading)}`);
  const lines = createTextLines(units);
  const text = textOf(edit, section);
  const eol = lines.endingAt(section.heading.line - 1) || newlineOf(units) || '\n';
  const encoded = encodeUnits(text.join(eol), encoding);
  if (!encoded.ok) return reject(unencodableReason(encoded.character, encoding));
  const place = placeOf(lines, section);
  const { start, end, inserted } = toSplice(encoded.units, edit, { place, lines, eol });
  return {
    ok: true,
    units: units.slice(0, lines.offsetOf(start)) + inserted + units.slice(lines.offsetOf(end)),
  };
}

/** The lines to write, without the blank ones at both ends. Models often repeat the heading, which stays. */
function textOf({ content, mode = 'replace' }: SectionEdit, { heading }: Section): string[] {
  const lines = content.split(/\r?\n/);
  const [first] = findHeadings(content);
  const isRepeated = mode === 'replace' && first?.level === heading.level && first.text === heading.text;
  const isFirst = isRepeated && lines.slice(0, first.line - 1).every((line) => line.trim() === '');
  const body = isFirst ? lines.slice(first.lastLine) : lines;
  const start = body.findIndex((line) => line.trim() !== '');
  return start === -1 ? [] : body.slice(start, body.findLastIndex((line) => line.trim() !== '') + 1);
}

/** Indexes of lines: below the heading, of the text there without blank lines around it, and of what follows. */
interface Place {
  readonly first: number;
  readonly textStart: number;
  readonly textEnd: number;
  readonly end: number;
}

function placeOf(lines: TextLines, { heading, endLine = lines.count }: Section): Place {
  const isBlank = (index: number): boolean => lines.at(index).trim() === '';
  let [textStart, textEnd] = [heading.lastLine, endLine];
  while (textStart < endLine && isBlank(textStart)) textStart++;
  while (textEnd > textStart && isBlank(textEnd - 1)) textEnd--;
  return { first: heading.lastLine, textStart, textEnd, end: endLine };
}

interface Splice {
  readonly start: number;
  readonly end: number;
  readonly inserted: string;
}

function toSplice(
  text: string,
  { mode = 'replace' }: SectionEdit,
  { place, lines, eol }: { place: Place; lines: TextLines; eol: string },
): Splice {
  const { first, textStart, textEnd, end } = place;
  const isEmpty = textStart === textEnd;
  const isLast = end === lines.count;
  if (mode === 'replace' && !isEmpty && text !== '')
    return { start: textStart, end: textEnd, inserted: text + lines.endingAt(textEnd - 1) };
  const gap = isLast ? '' : eol;
  if (text === '')
    return { start: first, end: mode === 'replace' ? end : first, inserted: mode === 'replace' ? gap : '' };
  // After the heading, or after the text.
  const at = isEmpty ? first : textEnd;
  const isOpen = lines.endingAt(at - 1) === '';
  const isSameList = mode === 'append' && !isEmpty && isItem(lines.at(at - 1)) && isItem(text);
  const before = (isOpen ? eol : '') + (isSameList ? '' : eol);
  if (isEmpty && mode !== 'insertAfter')
    return { start: at, end, inserted: before + text + (isOpen ? '' : eol) + gap };
  const isTight = at === end && !isLast;
  return { start: at, end: at, inserted: before + text + (isOpen ? '' : eol) + (isTight ? eol : '') };
}

/** Of a list or a table. */
function isItem(line: string): boolean {
  return /^\s*(?:[-+*]\s|\d+[.)]\s|\|)/.test(line);
}
