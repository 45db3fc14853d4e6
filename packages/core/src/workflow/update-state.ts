/**
 * A state patch applied to a state document: as a value, and as text in which comments, key order, line endings and
 * everything that was not asked for stay as they were. Pure.
 */
import type { StateUpdate } from '@crewagent/protocol/workflow';
import type { ListItem } from './edit-yaml-document.ts';
import { appendItems, replaceValue, setEntry, type YamlLines } from './edit-yaml-lines.ts';
import { readFrontmatter } from './frontmatter.ts';
import { isSameValue } from './same-value.ts';
import { LISTS, SCALARS } from './state-fields.ts';

type Fields = Record<string, unknown>;

/** The document with the update made; undefined when it has no readable frontmatter. */
export async function updateStateText(text: string, update: StateUpdate): Promise<string | undefined> {
  const parsed = await readFrontmatter(text);
  if (!parsed.ok) return undefined;
  const expected = updateFields(parsed.value, update);
  const head = text.slice(0, text.length - parsed.body.length);
  const edited = editLines(head, parsed.value, update);
  // The line editor knows plain YAML only; what it made is believed when it reads back as what was meant.
  if (edited !== undefined && (await readsAs(edited + parsed.body, expected))) return edited + parsed.body;
  const { updateDocument } = await import('./edit-yaml-document.ts');
  const next = updateDocument(head, update);
  return (await readsAs(next + parsed.body, expected)) ? next + parsed.body : undefined;
}

/** The document with some of its lists put right; undefined when that cannot be done safely. */
export async function editStateLists(
  text: string,
  lists: Readonly<Record<string, readonly ListItem[]>>,
): Promise<string | undefined> {
  const parsed = await readFrontmatter(text);
  if (!parsed.ok) return undefined;
  const edited = Object.entries(lists).map(([key, kept]) => {
    const written = asList(parsed.value[key]);
    return [key, kept.map((item) => ('value' in item ? item.value : written[item.index]))] as const;
  });
  const head = text.slice(0, text.length - parsed.body.length);
  const { editLists } = await import('./edit-yaml-document.ts');
  const next = editLists(head, lists);
  const expected: Fields = { ...parsed.value, ...Object.fromEntries(edited) };
  return next !== undefined && (await readsAs(next + parsed.body, expected)) ? next + parsed.body : undefined;
}

function updateFields(fields: Fields, update: StateUpdate): Fields {
  const next: Fields = { ...fields };
  for (const key of LISTS) {
    const added = update[key]?.append;
    if (added?.length) next[key] = [...asList(next[key]), ...added];
  }
  for (const key of SCALARS) if (update[key]) next[key] = update[key].set;
  const variables = update.variables?.set;
  if (variables && Object.keys(variables).length > 0)
    next.variables = { ...(next.variables as Fields), ...variables };
  return next;
}

function editLines(head: string, fields: Fields, update: StateUpdate): string | undefined {
  let lines: YamlLines | undefined = { text: head };
  for (const key of LISTS) {
    const added = update[key]?.append;
    if (lines && added?.length) lines = appendItems(lines, key, added, asList(fields[key]).length);
  }
  for (const [key, value] of Object.entries(update.variables?.set ?? {})) {
    if (lines) lines = setEntry(lines, 'variables', key, value);
  }
  for (const key of SCALARS) {
    if (lines && update[key]) lines = replaceValue(lines, key, update[key].set);
  }
  return lines?.text;
}

async function readsAs(text: string, expected: Fields): Promise<boolean> {
  const parsed = await readFrontmatter(text);
  return parsed.ok && isSameValue(parsed.value, expected);
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
