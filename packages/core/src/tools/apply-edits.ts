/**
 * Text edits as a model asks for them: replace a passage, apply a unified diff. All of them or none. Pure.
 */

import * as z from '@crewagent/protocol/zod';
import { applyHunks, type Hunk } from './apply-hunks.ts';

export const textEditSchemas = [
  z.strictObject({
    operation: z.literal('replace'),
    find: z.string().min(1).describe('Text that stands in the file exactly once (or use all).'),
    replace: z.string(),
    all: z.boolean().optional(),
  }),
  z.strictObject({ operation: z.literal('diff'), diff: z.string().min(1).describe('A unified diff.') }),
] as const;

export type TextEdit = z.infer<(typeof textEditSchemas)[number]>;
export type EditResult =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: string };

/** `maxChars`: more than this is refused at once, whatever a later edit would make of it. */
export async function applyEdit(text: string, edit: TextEdit, maxChars: number): Promise<EditResult> {
  const edited =
    edit.operation === 'replace' ? applyReplace(text, edit, maxChars) : await applyDiff(text, edit.diff);
  return edited.ok && edited.text.length > maxChars ? refuse(tooLong(maxChars)) : edited;
}

function tooLong(maxChars: number): string {
  return `it would be longer than the ${maxChars} characters that may be written`;
}

function applyReplace(
  text: string,
  edit: Extract<TextEdit, { operation: 'replace' }>,
  maxChars: number,
): EditResult {
  // A model writes LF; the file may be CRLF.
  const [find, replacement] = text.includes(edit.find)
    ? [edit.find, edit.replace]
    : [toWindows(edit.find), toWindows(edit.replace)];
  const first = text.indexOf(find);
  if (first === -1) {
    return refuse('the text to find is not in the file; read the file again and copy the passage exactly');
  }
  if (edit.all) {
    const parts = text.split(find);
    const chars = text.length + (parts.length - 1) * (replacement.length - find.length);
    return chars > maxChars ? refuse(tooLong(maxChars)) : { ok: true, text: parts.join(replacement) };
  }
  if (text.indexOf(find, first + 1) !== -1) {
    return refuse(
      'the text to find stands in the file more than once; add lines around it, or set all to true',
    );
  }
  return { ok: true, text: text.slice(0, first) + replacement + text.slice(first + find.length) };
}

/** Exactly first, then with other white space at the ends of lines and between words. */
async function applyDiff(text: string, diff: string): Promise<EditResult> {
  const { parsePatch } = await import('diff');
  let patches: ReturnType<typeof parsePatch>;
  try {
    patches = parsePatch(diff);
  } catch (error) {
    return refuse(
      `the diff cannot be read (${error instanceof Error ? error.message : 'unknown'}); send a unified diff`,
    );
  }
  const [patch] = patches;
  if (patches.length !== 1 || !patch || patch.hunks.length === 0) {
    return refuse(
      'this is not a unified diff of one file; it needs "@@ -line,count +line,count @@" and lines with " ", "-" or "+"',
    );
  }
  const hunks = toLineEndsOf(text, patch.hunks);
  const exact = applyHunks(text, hunks);
  if (exact.ok) return exact;
  const tolerant = applyHunks(text, hunks, squeeze);
  if (tolerant.ok) return tolerant;
  if (tolerant.reason === 'too-much')
    return refuse(
      'the diff has too many hunks for a file of this length; send fewer, or write the file anew',
    );
  const { oldStart } = hunks[tolerant.hunk] ?? { oldStart: 0 };
  const which = hunks.length === 1 ? 'the diff' : `hunk ${tolerant.hunk + 1} of ${hunks.length}`;
  return refuse(
    `the lines of ${which} (at line ${oldStart}) are not in the file; read the file again and make the diff from what is there`,
  );
}

/** A model writes LF; the file may be CRLF throughout. */
function toLineEndsOf(text: string, hunks: readonly Hunk[]): readonly Hunk[] {
  const isWindows = text.includes('\r\n') && !/(?:^|[^\r])\n/.test(text);
  const isAlready = hunks.some(({ lines }) => lines.some((line) => line.endsWith('\r')));
  if (!isWindows || isAlready) return hunks;
  return hunks.map((hunk) => ({
    ...hunk,
    lines: hunk.lines.map((line, index) =>
      line.startsWith('\\') || hunk.lines[index + 1]?.startsWith('\\') ? line : `${line}\r`,
    ),
  }));
}

function squeeze(line: string): string {
  return line.trim().replace(/\s+/g, ' ');
}

function toWindows(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

function refuse(reason: string): EditResult {
  return { ok: false, reason };
}
