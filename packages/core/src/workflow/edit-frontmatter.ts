/**
 * Writes new values into frontmatter: comments, key order, line endings and all other content stay unchanged. By lines where the
 * YAML is plain, otherwise with the full library. Pure.
 */
import type { ListEdits } from './edit-yaml-document.ts';
import { editLines, type Fields } from './edit-yaml-lines.ts';
import { readFrontmatter } from './frontmatter.ts';
import { isSameValue } from './same-value.ts';
import { DOCUMENT_LIMITS, type FrontmatterLimits } from './split-frontmatter.ts';

export interface EditOptions {
  /** Default: `DOCUMENT_LIMITS`. */
  readonly limits?: FrontmatterLimits;
  readonly lists?: ListEdits;
}

export type EditedHead =
  | { readonly ok: true; readonly head: string }
  /** Too long, or YAML that cannot be edited in place. */
  | { readonly ok: false; readonly kind: 'too-long' | 'unreadable' };

/** `head`: the frontmatter with its fences, whose fields are `before`. */
export async function editFrontmatter(
  head: string,
  before: Fields,
  after: Fields,
  { limits = DOCUMENT_LIMITS, lists }: EditOptions = {},
): Promise<EditedHead> {
  // Every edit is verified by reading it back.
  const readBack = async (edited: string): Promise<EditedHead> => {
    const parsed = await readFrontmatter(edited, { limits });
    if (parsed.ok && isSameValue(parsed.value, after)) return { ok: true, head: edited };
    return { ok: false, kind: !parsed.ok && parsed.kind === 'too-long' ? 'too-long' : 'unreadable' };
  };
  const lines = editLines(head, before, after);
  if (lines !== undefined) {
    const found = lines.length > limits.maxChars ? TOO_LONG : await readBack(lines);
    if (found.ok || found === TOO_LONG) return found;
  }
  if (head.length > limits.maxFullChars) return TOO_LONG;
  const { editDocument } = await import('./edit-yaml-document.ts');
  const document = editDocument(head, before, after, lists);
  return document === undefined ? { ok: false, kind: 'unreadable' } : readBack(document);
}

const TOO_LONG: EditedHead = { ok: false, kind: 'too-long' };
