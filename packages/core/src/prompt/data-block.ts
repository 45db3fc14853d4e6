/**
 * The shell in which a model is told of a document that goes with a command: what it is, what is in it, its beginning and
 * how to read on. Nothing in a document passes for a word of the runtime's: each of its lines is indented.
 */
import type { DataFormat } from '@crewagent/protocol/commands';

export interface DataContext {
  /** On a mount. */
  readonly path: string;
  readonly format: DataFormat;
  /** Of the whole file. */
  readonly bytes: number;
  readonly summary: string;
  /** What a reader should know about the reading. */
  readonly notes: readonly string[];
  /** The text of the file, or of its beginning. */
  readonly text: string;
  readonly isWhole: boolean;
  /** The most that is shown of the text, indentation and escapes included. */
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

/** On one line, with an escape for everything that cannot be seen. */
export function toVisible(text: string): string {
  return text.replace(UNSEEN, toEscape);
}

/** Control and format characters, line breaks of all kinds, halves of characters. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
/** The same but for what ordinary text is made of: tabs, and the joiners of letters and signs. */
const UNSEEN_IN_TEXT = /(?![\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

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
  /** The first line that is not shown, or not to its end. */
  readonly nextLine: number;
  readonly isMidLine: boolean;
}

/** Whole lines; the beginning of one only where lines are so long that little else would be shown. */
function toPreview({ text, isWhole, previewBytes }: DataContext): Preview {
  const lines: string[] = [];
  const endInside = (): Preview => ({ lines, isWhole: false, nextLine: lines.length, isMidLine: true });
  let left = previewBytes;
  let start = 0;
  while (start < text.length) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    // No line that is longer than what is left can fit; the rest of a huge one is not looked at.
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
  return raw === '' ? '' : `  ${raw.replace(UNSEEN_IN_TEXT, toEscape)}`;
}

/** As many characters of a line as fit. */
function cutLine(raw: string, maxBytes: number): string {
  const characters: string[] = [];
  let left = maxBytes - bytesOf('  …');
  for (const character of raw) {
    const shown = character.replace(UNSEEN_IN_TEXT, toEscape);
    left -= encoder.encode(shown).length;
    if (left < 0) break;
    characters.push(shown);
  }
  return characters.length === 0 ? '' : `  ${characters.join('')}…`;
}

const encoder = new TextEncoder();

/** With its line break. */
function bytesOf(line: string): number {
  return encoder.encode(line).length + 1;
}
