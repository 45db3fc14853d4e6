/**
 * What changes between two versions of a file, for a person to read: exact, but never longer than a screen can bear.
 */
import { createTwoFilesPatch } from 'diff';
import { decodeText } from './text-file.ts';

const MAX_DIFFED_BYTES = 1024 * 1024;
const MAX_DIFF_CHARS = 32_768;

export function diffOf(path: string, before: Buffer | undefined, after: Buffer): string {
  if ((before?.length ?? 0) > MAX_DIFFED_BYTES || after.length > MAX_DIFFED_BYTES)
    return sizes(path, before, after);
  const old = before === undefined ? '' : decodeText(before)?.text;
  const next = decodeText(after)?.text;
  if (old === undefined || next === undefined) return sizes(path, before, after);
  const from = before === undefined ? '/dev/null' : path;
  const patch = createTwoFilesPatch(from, path, old, next, undefined, undefined, {
    context: 3,
    timeout: 500,
  });
  if (patch === undefined) return sizes(path, before, after);
  return patch.length <= MAX_DIFF_CHARS
    ? patch
    : `${patch.slice(0, MAX_DIFF_CHARS)}\n… (${patch.length} characters in all)\n`;
}

function sizes(path: string, before: Buffer | undefined, after: Buffer): string {
  return `${path}: ${before === undefined ? 'new file' : `${before.length} bytes`} → ${after.length} bytes\n`;
}
