/**
 * Replaces or extends a section of a Markdown document, found by its heading. Lines outside of it, and blank lines around its text,
 * stay as they are. Pure.
 */
import * as z from '@crewagent/protocol/zod';
import { findHeadings, findSections, type Section, sectionIssue } from '../../base/markdown-headings.ts';
import { unencodableReason } from './apply-hunks.ts';
import { newlineOf } from './text-file.ts';
import { createTextLines, type TextLines } from './text-lines.ts';
import { decodeUnits, encodeUnits, type TextUnits } from './text-units.ts';

export const sectionSchema = z.strictObject({
  operation: z.literal('section'),
  heading: z.string().check(z.minLength(1)),
  content: z.string(),
  mode: z.optional(z.enum(['replace', 'append', 'insertAfter'])),
});

type SectionEdit = z.infer<typeof sectionSchema>;

export function applySection(
  file: TextUnits,
  edit: SectionEdit,
): { readonly ok: true; readonly units: string } | { readonly ok: false; readonly reason: string } {
  const { units, encoding } = file;
  const headings = findHeadings(decodeUnits(units, encoding));
  const [section, ...others] = findSections(headings, edit.heading);
  if (!section || others.length > 0)
    return { ok: false, reason: `it ${sectionIssue(headings, edit.heading)}` };
  const lines = createTextLines(units);
  const text = textOf(edit, section);
  const eol = lines.endingAt(section.heading.line - 1) || newlineOf(units) || '\n';
  const encoded = encodeUnits(text.join(eol), encoding);
  if (!encoded.ok) return { ok: false, reason: unencodableReason(encoded.character, encoding) };
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
