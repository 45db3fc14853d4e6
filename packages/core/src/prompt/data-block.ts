/**
 * The block for a document that belongs to a command: its format, summary, beginning, and how to read on. Every line
 * of the document is indented, so that nothing in it can be mistaken for text of the runtime.
 */
import type { DataFormat } from '@crewagent/protocol/commands';

export interface DataContext {
  /** Mount path. */
  readonly path: string;
  readonly format: DataFormat;
  /** Size of the whole file. */
  readonly bytes: number;
  readonly summary: string;
  /** Remarks about how the file was read. */
  readonly notes: readonly string[];
  /** Text of the file, possibly only its beginning. */
  readonly text: string;
  readonly isWhole: boolean;
  /** Maximum size of the quoted text, including indentation and escapes. */
  readonly previewBytes: number;
}

export function toDataContext(context: DataContext): string {
  const { path } = context;
  const preview = toPreview(context);
  const notes = preview.isMidLine
    ? [...context.notes, `line ${preview.nextLine} is shown in part`]
    : context.notes;
  return [
    'DATA_CONTEXT',
    `- path: ${toVisible(path)}`,
    `- format: ${context.format}`,
    `- bytes: ${context.bytes}`,
    `- summary: ${toVisible(context.summary)}`,
    ...(notes.length > 0 ? [`- note: ${toVisible(notes.join('; '))}`] : []),
    ...(preview.isWhole ? [] : [`- rest: fs_read ${toVisible(toReadOn(path, preview.nextLine))}`]),
    ...preview.lines,
    'END_DATA_CONTEXT',
  ].join('\n');
}

/** One line, with escapes for all invisible characters. */
export function toVisible(text: string): string {
  return text.replace(INVISIBLE, toEscape);
}

/** Control and format characters, line breaks of all kinds, lone surrogates. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
/** The same except tabs and joiners, which are part of ordinary text. */
const INVISIBLE_IN_TEXT = /(?![\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

function toEscape(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
}

function toReadOn(path: string, startLine: number): string {
  return JSON.stringify({ path, startLine });
}

interface Preview {
  readonly lines: readonly string[];
  readonly isWhole: boolean;
  /** The first line that is not shown completely. */
  readonly nextLine: number;
  readonly isMidLine: boolean;
}

/** Complete lines; part of a line only if lines are so long that little else would be shown. */
function toPreview({ text, isWhole, previewBytes }: DataContext): Preview {
  const lines: string[] = [];
  const endInside = (): Preview => ({ lines, isWhole: false, nextLine: lines.length, isMidLine: true });
  let left = previewBytes;
  let start = 0;
  while (start < text.length) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    // A line longer than the remaining space cannot fit, so at most that much of it is processed.
    const raw = text.slice(start, Math.min(end, start + left + 1)).replace(/\r$/, '');
    const line = toShownLine(raw);
    if (bytesOf(line) > left) {
      const part = left * 2 > previewBytes ? cutLine(raw, left) : '';
      if (part === '') return { lines, isWhole: false, nextLine: lines.length + 1, isMidLine: false };
      lines.push(part);
      return endInside();
    }
    lines.push(line);
    if (newline === -1 && !isWhole) return endInside();
    left -= bytesOf(line);
    start = end + 1;
  }
  return { lines, isWhole, nextLine: lines.length + 1, isMidLine: false };
}

function toShownLine(raw: string): string {
  return raw === '' ? '' : `  ${raw.replace(INVISIBLE_IN_TEXT, toEscape)}`;
}

/** As many characters of a line as fit. */
function cutLine(raw: string, maxBytes: number): string {
  const characters: string[] = [];
  let left = maxBytes - bytesOf('  …');
  for (const character of raw) {
    const shown = character.replace(INVISIBLE_IN_TEXT, toEscape);
    left -= Buffer.byteLength(shown);
    if (left < 0) break;
    characters.push(shown);
  }
  return characters.length === 0 ? '' : `  ${characters.join('')}…`;
}

/** Includes the line break. */
function bytesOf(line: string): number {
  return Buffer.byteLength(line) + 1;
}
