/**
 * Text edits requested by a model: replacing a passage or applying a unified diff. Pure.
 */

import * as z from '@crewagent/protocol/zod';
import { applyHunks, type Hunk } from './apply-hunks.ts';

export const textEditSchemas = [
  z.strictObject({
    operation: z.literal('replace'),
    find: z
      .string()
      .check(z.minLength(1), z.describe('Text that occurs in the file exactly once (or set all).')),
    replace: z.string(),
    all: z.optional(z.boolean()),
  }),
  z.strictObject({
    operation: z.literal('diff'),
    diff: z.string().check(z.minLength(1), z.describe('A unified diff.')),
  }),
] as const;

export type TextEdit = z.infer<(typeof textEditSchemas)[number]>;
export type EditResult =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: string };

/** Applies one edit. A result longer than `maxChars` is rejected, even if a later edit would shorten it. */
export async function applyEdit(text: string, edit: TextEdit, maxChars: number): Promise<EditResult> {
  const edited =
    edit.operation === 'replace' ? applyReplace(text, edit, maxChars) : await applyDiff(text, edit.diff);
  return edited.ok && edited.text.length > maxChars ? reject(tooLongReason(maxChars)) : edited;
}

function tooLongReason(maxChars: number): string {
  return `the result would be longer than the limit of ${maxChars} characters`;
}

function applyReplace(
  text: string,
  edit: Extract<TextEdit, { operation: 'replace' }>,
  maxChars: number,
): EditResult {
  // Models write LF; the file may use CRLF.
  const [find, replacement] = text.includes(edit.find)
    ? [edit.find, edit.replace]
    : [toCrlf(edit.find), toCrlf(edit.replace)];
  const first = text.indexOf(find);
  if (first === -1) {
    return reject('the text to find is not in the file; read the file again and copy the passage exactly');
  }
  if (edit.all) {
    const parts = text.split(find);
    const chars = text.length + (parts.length - 1) * (replacement.length - find.length);
    return chars > maxChars ? reject(tooLongReason(maxChars)) : { ok: true, text: parts.join(replacement) };
  }
  if (text.indexOf(find, first + 1) !== -1) {
    return reject(
      'the text to find occurs in the file more than once; add surrounding lines to it, or set all to true',
    );
  }
  return { ok: true, text: text.slice(0, first) + replacement + text.slice(first + find.length) };
}

/** Tries an exact match first, then one that ignores white space differences within lines. */
async function applyDiff(text: string, diff: string): Promise<EditResult> {
  const { parsePatch } = await import('diff');
  let patches: ReturnType<typeof parsePatch>;
  try {
    patches = parsePatch(diff);
  } catch (error) {
    return reject(
      `the diff cannot be parsed (${error instanceof Error ? error.message : 'unknown'}); send a unified diff`,
    );
  }
  const [patch] = patches;
  if (patches.length !== 1 || !patch || patch.hunks.length === 0) {
    return reject(
      'this is not a unified diff of one file; it needs "@@ -line,count +line,count @@" and lines with " ", "-" or "+"',
    );
  }
  const hunks = matchLineEndings(text, patch.hunks);
  const exact = applyHunks(text, hunks);
  if (exact.ok) return exact;
  const tolerant = applyHunks(text, hunks, collapseWhitespace);
  if (tolerant.ok) return tolerant;
  if (tolerant.reason === 'too-much')
    return reject(
      'the diff has too many hunks for a file of this length; send fewer hunks, or rewrite the file with fs.write',
    );
  const { oldStart } = hunks[tolerant.hunk] ?? { oldStart: 0 };
  const which = hunks.length === 1 ? 'the diff' : `hunk ${tolerant.hunk + 1} of ${hunks.length}`;
  return reject(
    `the lines of ${which} (at line ${oldStart}) are not in the file; read the file again and base the diff on its current content`,
  );
}

/** Models write LF; the file may use CRLF throughout. */
function matchLineEndings(text: string, hunks: readonly Hunk[]): readonly Hunk[] {
  const usesCrlf = text.includes('\r\n') && !/(?:^|[^\r])\n/.test(text);
  const hunksUseCrlf = hunks.some(({ lines }) => lines.some((line) => line.endsWith('\r')));
  if (!usesCrlf || hunksUseCrlf) return hunks;
  return hunks.map((hunk) => ({
    ...hunk,
    lines: hunk.lines.map((line, index) =>
      line.startsWith('\\') || hunk.lines[index + 1]?.startsWith('\\') ? line : `${line}\r`,
    ),
  }));
}

function collapseWhitespace(line: string): string {
  return line.trim().replace(/\s+/g, ' ');
}

function toCrlf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

function reject(reason: string): EditResult {
  return { ok: false, reason };
}
