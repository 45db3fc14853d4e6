/**
 * Applies a state patch to a state document: as a value, and as text in which comments, key order, line endings and all
 * other content stay unchanged. Pure.
 */
import type { ToolError } from '@crewagent/protocol/tools';
import type { CallStackEntry, StateUpdate } from '@crewagent/protocol/workflow';
import {
  appendItems,
  editItems,
  type ListItem,
  replaceList,
  replaceValue,
  setEntries,
  type YamlLines,
} from './edit-yaml-lines.ts';
import { readFrontmatter } from './frontmatter.ts';
import { isSameValue } from './same-value.ts';
import type { FrontmatterFailure } from './split-frontmatter.ts';
import { LISTS, SCALARS } from './state-fields.ts';
import { MAX_STATE_CHARS, STATE_LIMITS, STATE_TOO_LONG } from './workflow-state.ts';

type Fields = Record<string, unknown>;

export type EditedText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly error: ToolError };

/** Returns the updated document, or why it cannot be updated. */
export async function updateStateText(text: string, update: StateUpdate): Promise<EditedText> {
  const parsed = await readFrontmatter(text, { limits: STATE_LIMITS });
  if (!parsed.ok) return reject(parsed.kind);
  const expected = updateFields(parsed.value, update);
  const head = text.slice(0, text.length - parsed.body.length);
  const edited = editLines(head, parsed.value, update);
  // The line editor supports plain YAML only.
  if (edited !== undefined) {
    if (edited.length > MAX_STATE_CHARS) return reject('too-long');
    const found = await readBack(edited + parsed.body, expected);
    if (found.ok) return found;
  }
  if (head.length > STATE_LIMITS.maxFullChars) return reject('too-long');
  const { updateDocument } = await import('./edit-yaml-document.ts');
  const next = updateDocument(head, update);
  return next === undefined ? reject('unreadable') : readBack(next + parsed.body, expected);
}

/** Returns the document with corrected lists, or why they cannot be edited safely. */
export async function editStateLists(
  text: string,
  lists: Readonly<Record<string, readonly ListItem[]>>,
): Promise<EditedText> {
  const parsed = await readFrontmatter(text, { limits: STATE_LIMITS });
  if (!parsed.ok) return reject(parsed.kind);
  const edited = Object.entries(lists).map(([key, retained]) => {
    const written = asList(parsed.value[key]);
    return [key, retained.map((item) => ('value' in item ? item.value : written[item.index]))] as const;
  });
  const head = text.slice(0, text.length - parsed.body.length);
  const expected: Fields = { ...parsed.value, ...Object.fromEntries(edited) };
  let lines: YamlLines | undefined = { text: head };
  for (const [key, retained] of Object.entries(lists))
    if (lines) lines = editItems(lines, key, retained, asList(parsed.value[key]).length);
  const found = lines && (await readBack(lines.text + parsed.body, expected));
  if (found?.ok) return found;
  if (head.length > STATE_LIMITS.maxFullChars) return reject('too-long');
  const { editLists } = await import('./edit-yaml-document.ts');
  const next = editLists(head, lists);
  return next === undefined ? reject('unreadable') : readBack(next + parsed.body, expected);
}

/** Returns the document with this call stack. Only the runtime writes the list, so the old one is replaced as a whole. */
export async function setCallStack(text: string, callStack: readonly CallStackEntry[]): Promise<EditedText> {
  const parsed = await readFrontmatter(text, { limits: STATE_LIMITS });
  if (!parsed.ok) return reject(parsed.kind);
  const head = text.slice(0, text.length - parsed.body.length);
  const expected: Fields = { ...parsed.value, callStack: [...callStack] };
  const lines = replaceList({ text: head }, 'callStack', callStack);
  const found = lines && (await readBack(lines.text + parsed.body, expected));
  if (found?.ok) return found;
  if (head.length > STATE_LIMITS.maxFullChars) return reject('too-long');
  const { resetDocument } = await import('./edit-yaml-document.ts');
  const next = resetDocument(head, { fields: { callStack: [...callStack] }, reopens: false });
  return next === undefined ? reject('unreadable') : readBack(next + parsed.body, expected);
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
  const variables = update.variables?.set ?? {};
  if (lines && Object.keys(variables).length > 0) lines = setEntries(lines, 'variables', variables);
  for (const key of SCALARS) {
    if (lines && update[key]) lines = replaceValue(lines, key, update[key].set);
  }
  return lines?.text;
}

/** An edit is verified by reading it back. */
async function readBack(text: string, expected: Fields): Promise<EditedText> {
  const parsed = await readFrontmatter(text, { limits: STATE_LIMITS });
  if (!parsed.ok) return reject(parsed.kind);
  return isSameValue(parsed.value, expected) ? { ok: true, text } : reject('unreadable');
}

function reject(kind: FrontmatterFailure['kind']): EditedText {
  return { ok: false, error: kind === 'too-long' ? STATE_TOO_LONG : NOT_EDITABLE };
}

const NOT_EDITABLE: ToolError = {
  code: 'E_INVALID_FRONTMATTER',
  message:
    'The frontmatter uses YAML features that cannot be updated in place; write it as plain keys and lists.',
};

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
