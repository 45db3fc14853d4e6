/**
 * Text edits as a model asks for them: replace a passage, apply a unified diff. All of them or none. Pure.
 */

import * as z from '@crewagent/protocol/zod';

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

export async function applyEdit(text: string, edit: TextEdit): Promise<EditResult> {
  return edit.operation === 'replace' ? applyReplace(text, edit) : applyDiff(text, edit.diff);
}

function applyReplace(text: string, edit: Extract<TextEdit, { operation: 'replace' }>): EditResult {
  // A model writes LF; the file may be CRLF.
  const [find, replacement] = text.includes(edit.find)
    ? [edit.find, edit.replace]
    : [toWindows(edit.find), toWindows(edit.replace)];
  const first = text.indexOf(find);
  if (first === -1) {
    return refuse('the text to find is not in the file; read the file again and copy the passage exactly');
  }
  if (edit.all) return { ok: true, text: text.split(find).join(replacement) };
  if (text.indexOf(find, first + 1) !== -1) {
    return refuse(
      'the text to find stands in the file more than once; add lines around it, or set all to true',
    );
  }
  return { ok: true, text: text.slice(0, first) + replacement + text.slice(first + find.length) };
}

/** Exactly first, then with other white space at the ends of lines and between words. */
async function applyDiff(text: string, diff: string): Promise<EditResult> {
  const { applyPatch, parsePatch } = await import('diff');
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
  const exact = applyPatch(text, patch, { fuzzFactor: 0, autoConvertLineEndings: true });
  if (exact !== false) return { ok: true, text: exact };
  const tolerant = applyPatch(text, patch, {
    fuzzFactor: 0,
    autoConvertLineEndings: true,
    compareLine: (_, line, operation, content) =>
      line === content || (operation !== '+' && squeeze(line) === squeeze(content)),
  });
  if (tolerant !== false) return { ok: true, text: tolerant };
  return refuse(
    'the lines of the diff are not in the file; read the file again and make the diff from what is there',
  );
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
