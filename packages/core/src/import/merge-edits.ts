/**
 * Three-way merge of a file: the version of the last import, the person's version, and the version of this import. An edit is
 * never lost: on conflict the person's version wins. Pure.
 */
import { applyPatch, structuredPatch } from 'diff';

export type Version = Buffer | undefined;

export type Merged =
  /** Deletes the file if `content` is undefined. */
  | { readonly kind: 'write'; readonly content: Version }
  | { readonly kind: 'same' }
  | { readonly kind: 'kept' }
  | { readonly kind: 'merged'; readonly content: Buffer }
  | { readonly kind: 'conflict' };

export function mergeEdits(path: string, base: Version, mine: Version, theirs: Version): Merged {
  if (isEqual(mine, theirs)) return { kind: 'same' };
  if (isEqual(mine, base)) return { kind: 'write', content: theirs };
  if (isEqual(theirs, base)) return { kind: 'kept' };
  if (!base || !mine || !theirs) return { kind: 'conflict' };
  const merged = mergeText(path, base, mine, theirs);
  return merged === undefined ? { kind: 'conflict' } : { kind: 'merged', content: merged };
}

function isEqual(a: Version, b: Version): boolean {
  return a === b || (a !== undefined && b !== undefined && a.equals(b));
}

/** Context lines that must match for a change of the source to apply to the person's version. */
const CONTEXT = 2;
const MAX_EDITS = 2_000;

function mergeText(path: string, base: Buffer, mine: Buffer, theirs: Buffer): Buffer | undefined {
  const texts = [base, mine, theirs].map((bytes) => bytes.toString('utf8'));
  if (texts.some((text) => text.includes('\uFFFD'))) return undefined;
  const [from = '', edited = '', to = ''] = texts;
  const patch = structuredPatch(path, path, from, to, '', '', { context: CONTEXT, maxEditLength: MAX_EDITS });
  const merged = patch && applyPatch(edited, patch, { autoConvertLineEndings: false });
  if (merged === false || merged === undefined) return undefined;
  return path.endsWith('.json') && !isJson(merged) ? undefined : Buffer.from(merged);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
