/**
 * A state patch applied to a state document: as a value, and as text in which comments, key order, line endings and
 * everything that was not asked for stay as they were. Pure.
 */
import type { StateUpdate } from '@crewagent/protocol/workflow';
import { isMap, isSeq, parseDocument } from 'yaml';
import { appendItems, replaceValue, setEntry, type YamlLines } from './edit-yaml-lines.ts';
import { parseFrontmatter } from './frontmatter.ts';
import { isSameValue } from './same-value.ts';

type Fields = Record<string, unknown>;

const LISTS = ['stepsCompleted', 'decisionLog', 'artifacts', 'inputDocuments'] as const;
const SCALARS = ['currentNodeId', 'updatedAt'] as const;

/** The document with the update made; undefined when it has no readable frontmatter. */
export function updateStateText(text: string, update: StateUpdate): string | undefined {
  const parsed = parseFrontmatter(text);
  if (!parsed.ok) return undefined;
  const expected = updateFields(parsed.value, update);
  const head = text.slice(0, text.length - parsed.body.length);
  const edited = editLines(head, parsed.value, update);
  // The line editor knows plain YAML only; what it made is believed when it reads back as what was meant.
  for (const candidate of [edited, () => editDocument(head, update)]) {
    const next = typeof candidate === 'function' ? candidate() : candidate;
    if (next !== undefined && readsAs(next + parsed.body, expected)) return next + parsed.body;
  }
  return undefined;
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

/** Slower, and free to re-space the lines it touches. */
function editDocument(head: string, update: StateUpdate): string {
  const newline = head.includes('\r\n') ? '\r\n' : '\n';
  const open = /^\uFEFF?---[ \t]*\r?\n/.exec(head)?.[0] ?? '';
  const close = /---[ \t]*(?:\r?\n)?$/.exec(head)?.[0] ?? '';
  const document = parseDocument(
    head.slice(open.length, head.length - close.length).replaceAll('\r\n', '\n'),
  );
  for (const key of LISTS) {
    for (const item of update[key]?.append ?? []) {
      if (!isSeq(document.get(key, true))) document.set(key, document.createNode([]));
      document.addIn([key], document.createNode(item));
    }
  }
  for (const [key, value] of Object.entries(update.variables?.set ?? {})) {
    if (!isMap(document.get('variables', true))) document.set('variables', document.createNode({}));
    document.setIn(['variables', key], document.createNode(value));
  }
  for (const key of SCALARS) if (update[key]) document.set(key, update[key].set);
  const yaml = document.toString({ lineWidth: 0, flowCollectionPadding: false });
  return open + yaml.replaceAll('\n', newline) + close;
}

function readsAs(text: string, expected: Fields): boolean {
  const parsed = parseFrontmatter(text);
  return parsed.ok && isSameValue(parsed.value, expected);
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
