/**
 * Three versions of one file become one: what the last import wrote, what a person made of it, what this import would
 * write. An edit is never lost: where both sides changed the same lines the person's version stays. Pure.
 */
import { applyPatch, structuredPatch } from 'diff';

export type Version = Buffer | undefined;

export type Merged =
  /** `content` undefined: the file is deleted. */
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

/** Lines that decide whether the change of the source still fits what the person has. */
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
