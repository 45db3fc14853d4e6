/**
 * Sets fields in the frontmatter of any Markdown document; a document without frontmatter gets one. Pure.
 */
import { isObject } from '@crewagent/protocol/json-object';
import { editFrontmatter } from './edit-frontmatter.ts';
import type { Fields } from './edit-yaml-lines.ts';
import { readFrontmatter } from './frontmatter.ts';
import { splitFrontmatter } from './split-frontmatter.ts';

export type UpdatedFrontmatter =
  | { readonly ok: true; readonly text: string }
  /** A predicate without a full stop. */
  | { readonly ok: false; readonly reason: string };

/** Length of the frontmatter with its fences; 0 if there is none. */
export function frontmatterLength(text: string): number {
  const split = splitFrontmatter(text);
  return split.ok ? text.length - split.body.length : 0;
}

/**
 * `head`: the frontmatter with its fences, or nothing. A field of `update` is its new value, `{set: value}`, or `{append: […]}` for a
 * list.
 */
export async function updateFrontmatter(
  head: string,
  update: Fields,
  eol: string,
): Promise<UpdatedFrontmatter> {
  const names = Object.keys(update);
  if (names.length === 0) return { ok: true, text: head };
  const base = head === '' ? `---${eol}---${eol}` : head;
  const parsed = await readFrontmatter(base.replace(/^(\uFEFF?---[ \t]*\r?\n)(?=---)/, `$1{}${eol}`));
  if (!parsed.ok) return { ok: false, reason: `has frontmatter that is not valid YAML: ${parsed.reason}` };
  const isList = (name: string): boolean => Array.isArray(parsed.value[name] ?? []);
  const odd = names.find((name) => isAppend(update[name]) && !isList(name));
  if (odd !== undefined) return { ok: false, reason: `has no list "${odd}" to append to` };
  const after = { ...parsed.value };
  for (const name of names) after[name] = newValueOf(after[name], update[name]);
  const edited = await editFrontmatter(base, parsed.value, after);
  // A blank line between a new block and the text.
  if (edited.ok) return { ok: true, text: head === '' ? edited.head + eol : edited.head };
  return {
    ok: false,
    reason: 'has frontmatter that cannot be updated in place; write it as plain keys and lists',
  };
}

function newValueOf(old: unknown, change: unknown): unknown {
  const list: readonly unknown[] = Array.isArray(old) ? old : [];
  if (isAppend(change)) return [...list, ...change.append];
  return isObject(change) && Object.keys(change).join() === 'set' ? change.set : change;
}

function isAppend(change: unknown): change is { readonly append: readonly unknown[] } {
  return isObject(change) && Object.keys(change).join() === 'append' && Array.isArray(change.append);
}
