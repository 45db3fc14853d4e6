/**
 * Exact diff of two versions of a file for a user to review, as text or as a hex dump.
 */
import { createTwoFilesPatch } from 'diff';
import { decodeText } from './text-file.ts';

const MAX_DIFFED_BYTES = 1024 * 1024;
/** As much as one write may contain; longer diffs are truncated. */
const MAX_DIFF_CHARS = 2 * 1024 * 1024;

export function diffOf(path: string, before: Buffer | undefined, after: Buffer): string {
  const patch = patchOf(path, before, after);
  return truncateDiff(patch.ok ? patch.text : toFullContent(path, before, after), MAX_DIFF_CHARS);
}

export type Patch =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: 'binary' | 'too-large' };

/** The full patch; undefined content means the file does not exist. */
export function patchOf(path: string, before: Buffer | undefined, after: Buffer | undefined): Patch {
  if ([before, after].some((content) => content && content.length > MAX_DIFFED_BYTES)) return TOO_LARGE;
  const [old, next] = [textOf(before), textOf(after)];
  if (old === undefined || next === undefined) return { ok: false, reason: 'binary' };
  const name = (content: Buffer | undefined): string => (content === undefined ? '/dev/null' : path);
  const text = createTwoFilesPatch(name(before), name(after), old, next, undefined, undefined, {
    context: 3,
    timeout: 500,
  });
  return text === undefined ? TOO_LARGE : { ok: true, text };
}

const TOO_LARGE: Patch = { ok: false, reason: 'too-large' };

function textOf(content: Buffer | undefined): string | undefined {
  return content === undefined ? '' : decodeText(content)?.text;
}

/** Lines that a diff of two texts adds and removes; undefined for one that is cut, or compares no lines. */
export function countLines(diff: string): LineCount | undefined {
  const [head = '', ...hunks] = diff.split(/^(?=@@ )/m);
  if (!head.includes('\n--- ') && !head.startsWith('--- ')) return undefined;
  if (CUT.test(diff)) return undefined;
  const lines = hunks.flatMap((hunk) => hunk.split('\n').slice(1));
  return {
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
  };
}

/** Whether a complete diff removes every line of a text, except for blank ones. */
export function removesAll(diff: string, text: string): boolean {
  const removed =
    diff
      .split(/^@@ .*\n/m)
      .slice(1)
      .join('')
      .match(/^-.*\S/gm) ?? [];
  return removed.length >= (text.match(/^.*\S/gm) ?? []).length;
}

export interface LineCount {
  readonly added: number;
  readonly removed: number;
}

/** Logs of earlier versions say "in all". */
const CUT = /\n… \(\d+ characters in (?:total|all)\)\n$/;

/** Truncates a long diff and appends its length. */
export function truncateDiff(diff: string, maxChars: number): string {
  return diff.length <= maxChars
    ? diff
    : `${diff.slice(0, maxChars)}\n… (${diff.length} characters in total)\n`;
}

/** Fallback if the versions cannot be compared by line: the whole new version, as text if possible. */
function toFullContent(path: string, before: Buffer | undefined, after: Buffer): string {
  const sizes = `${before === undefined ? 'new file' : `${before.length} bytes`} → ${after.length} bytes`;
  const lines = textOf(after)?.split('\n') ?? toHexRows(after);
  const head = `${path}: ${sizes}; shown in full\n@@ -0,0 +1,${lines.length} @@\n`;
  return `${head}${lines.map((line) => `+${line}\n`).join('')}`;
}

const ROW_BYTES = 16;

/** Hex dump rows: `00000010  de ad be ef  |....|`. */
function toHexRows(content: Buffer): string[] {
  const shown = content.subarray(0, MAX_DIFF_CHARS / 4);
  const rows: string[] = [];
  for (let at = 0; at < shown.length; at += ROW_BYTES) {
    const row = shown.subarray(at, at + ROW_BYTES);
    const bytes = (row.toString('hex').match(/../g) ?? []).join(' ').padEnd(ROW_BYTES * 3 - 1);
    const letters = row.toString('latin1').replace(/[^ -~]/g, '.');
    rows.push(`${at.toString(16).padStart(8, '0')}  ${bytes}  |${letters}|`);
  }
  return rows;
}
