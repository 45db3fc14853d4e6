/**
 * What changes between two versions of a file, for a person to read: exact, but never longer than a screen can bear.
 */
import { createTwoFilesPatch } from 'diff';
import { decodeText } from './text-file.ts';

const MAX_DIFFED_BYTES = 1024 * 1024;
const MAX_DIFF_CHARS = 32_768;

export function diffOf(path: string, before: Buffer | undefined, after: Buffer): string {
  const patch = patchOf(path, before, after);
  return patch.ok ? cutOff(patch.text, MAX_DIFF_CHARS) : sizes(path, before, after);
}

export type Patch =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: 'binary' | 'too-large' };

/** The whole of it; undefined stands for a file that is not there. */
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

/** The beginning of a diff that is too long, and how long it is. */
export function cutOff(diff: string, maxChars: number): string {
  return diff.length <= maxChars
    ? diff
    : `${diff.slice(0, maxChars)}\n… (${diff.length} characters in all)\n`;
}

function sizes(path: string, before: Buffer | undefined, after: Buffer): string {
  return `${path}: ${before === undefined ? 'new file' : `${before.length} bytes`} → ${after.length} bytes\n`;
}
