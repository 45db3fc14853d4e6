/**
 * Sets fields in the frontmatter of any Markdown document. Comments, key order, line endings and all other content stay; a document
 * without frontmatter gets one. Pure.
 */
import { isObject } from '@crewagent/protocol/json-object';
import { appendItems, replaceList, replaceValue, setEntries, type YamlLines } from './edit-yaml-lines.ts';
import { readFrontmatter } from './frontmatter.ts';
import { isSameValue } from './same-value.ts';
import { splitFrontmatter } from './split-frontmatter.ts';

type Fields = Readonly<Record<string, unknown>>;

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
  // A blank line between a new block and the text.
  const done = (text: string): UpdatedFrontmatter => ({ ok: true, text: head === '' ? text + eol : text });
  const parsed = await readFrontmatter(base.replace(/^(\uFEFF?---[ \t]*\r?\n)(?=---)/, `$1{}${eol}`));
  if (!parsed.ok) return { ok: false, reason: `has frontmatter that is not valid YAML: ${parsed.reason}` };
  const isList = (name: string): boolean => Array.isArray(parsed.value[name] ?? []);
  const odd = names.find((name) => isAppend(update[name]) && !isList(name));
  if (odd !== undefined) return { ok: false, reason: `has no list "${odd}" to append to` };
  const expected = {
    ...parsed.value,
    ...Object.fromEntries(names.map((name) => [name, newValueOf(parsed.value, name, update)])),
  };
  const edited = editLines(base, parsed.value, update);
  if (edited !== undefined && (await hasValue(edited, expected))) return done(edited);
  const fields = Object.fromEntries(names.map((name) => [name, expected[name]]));
  const { resetDocument } = await import('./edit-yaml-document.ts');
  const rewritten = resetDocument(base, { fields, reopens: false });
  if (rewritten !== undefined && (await hasValue(rewritten, expected))) return done(rewritten);
  return {
    ok: false,
    reason: 'has frontmatter that cannot be updated in place; write it as plain keys and lists',
  };
}

function isAppend(change: unknown): change is { readonly append: readonly unknown[] } {
  return isObject(change) && Object.keys(change).join() === 'append' && Array.isArray(change.append);
}

function isSet(change: unknown): change is { readonly set: unknown } {
  return isObject(change) && Object.keys(change).join() === 'set';
}

function newValueOf(fields: Fields, name: string, update: Fields): unknown {
  const change = update[name];
  const old: readonly unknown[] = Array.isArray(fields[name]) ? fields[name] : [];
  if (isAppend(change)) return [...old, ...change.append];
  return isSet(change) ? change.set : change;
}

function editLines(head: string, fields: Fields, update: Fields): string | undefined {
  let lines: YamlLines | undefined = { text: head };
  for (const [name, change] of Object.entries(update)) {
    if (!lines || !/^[A-Za-z_][\w-]*$/.test(name)) return undefined;
    const old = fields[name];
    const value = newValueOf(fields, name, update);
    const isInline = new RegExp(`^${name}: *\\[.*\\][ \\t]*\\r?$`, 'm').test(head);
    if (Array.isArray(value) && isInline) lines = replaceValue(lines, name, value);
    else if (isAppend(change))
      lines = appendItems(lines, name, change.append, Array.isArray(old) ? old.length : 0);
    else if (Array.isArray(value)) lines = replaceList(lines, name, value);
    else if (isObject(value) && old === undefined) lines = setEntries(lines, name, value);
    else lines = isObject(value) ? undefined : replaceValue(lines, name, value);
  }
  return lines?.text;
}

async function hasValue(head: string, expected: Fields): Promise<boolean> {
  const parsed = await readFrontmatter(head);
  return parsed.ok && isSameValue(parsed.value, expected);
}
