/**
 * Edits frontmatter with the full YAML library, where the line editor gives up. Slower, and may change white space. Comments of
 * removed values stay, above the key. Pure.
 */
import { isObject } from '@crewagent/protocol/json-object';
import type { Pair, YAMLMap, YAMLSeq } from 'yaml';
import { type Document, isMap, isNode, isScalar, isSeq, type Node, parseDocument, visit } from 'yaml';
import { FENCED, type Fields } from './edit-yaml-lines.ts';
import { isSameValue } from './same-value.ts';

/** An item of an edited list: an old one, one with a new value, or a new one. */
export type ListItem = { readonly index: number } | { readonly index?: number; readonly value: unknown };

/** Items of top-level lists; without them, items are recognised by their value. */
export type ListEdits = Readonly<Record<string, readonly ListItem[]>>;

/** The frontmatter with its fences, with the fields `after`; undefined if it cannot be edited. */
export function editDocument(
  head: string,
  before: Fields,
  after: Fields,
  lists: ListEdits = {},
): string | undefined {
  const [, open = '', yaml = '', close = ''] = FENCED.exec(head) ?? [];
  const document = parseDocument(yaml.replaceAll('\r\n', '\n'));
  if (!isMap(document.contents)) return undefined;
  editMap(document, document.contents, { before, after, lists });
  const edited = toText(document);
  if (edited === undefined) return undefined;
  return open + (head.includes('\r\n') ? edited.replaceAll('\n', '\r\n') : edited) + close;
}

interface Change {
  readonly before: Fields;
  readonly after: Fields;
  readonly lists?: ListEdits;
  /** The key of the map. */
  readonly owner?: unknown;
}

function editMap(document: Document, map: YAMLMap, { before, after, lists = {}, owner }: Change): void {
  for (const key of Object.keys(before).filter((known) => !Object.hasOwn(after, known))) {
    const pair = findPair(map, key);
    map.delete(key);
    addComments(owner, [pair?.key, pair?.value]);
  }
  for (const [key, value] of Object.entries(after)) {
    const old = before[key];
    if (Object.hasOwn(before, key) && isSameValue(old, value)) continue;
    const pair = findPair(map, key);
    const node = pair?.value;
    const items = lists[key] ?? (Array.isArray(value) ? toItems(old, value) : undefined);
    if (isSeq(node) && items) addComments(pair?.key, editList(document, node, items));
    else if (isMap(node) && isObject(old) && isObject(value))
      editMap(document, node, { before: old, after: value, owner: pair?.key });
    else {
      const flow = Array.isArray(value) && value.length === 0;
      setValue(map, key, document.createNode(value, { flow }));
    }
  }
}

/** Old items that are still there, then new ones; undefined for a list with other values. */
function toItems(old: unknown, value: readonly unknown[]): ListItem[] | undefined {
  const items: ListItem[] = [];
  for (const [index, item] of Array.isArray(old) ? old.entries() : [])
    if (isSameValue(item, value[items.length])) items.push({ index });
  return items.length === 0
    ? undefined
    : [...items, ...value.slice(items.length).map((item) => ({ value: item }))];
}

/** Returns the removed items. */
function editList(document: Document, list: YAMLSeq, edited: readonly ListItem[]): unknown[] {
  const { items } = list;
  list.items = edited.map((item) => {
    const old = item.index === undefined ? undefined : items[item.index];
    return 'value' in item ? withCommentsOf(old, document.createNode(item.value)) : old;
  });
  const retained = new Set(edited.map(({ index }) => index));
  return items.filter((_, index) => !retained.has(index));
}

/** Sets a key. Comments of the old value are kept after the new value or above the key. */
function setValue(map: YAMLMap, key: string, value: Node): void {
  const pair = findPair(map, key);
  if (!pair) {
    map.set(key, value);
    return;
  }
  const old = pair.value;
  pair.value = value;
  const isOneLine = isScalar(old) && isScalar(value) && !old.commentBefore && !old.comment?.includes('\n');
  if (isOneLine && typeof old.comment === 'string') value.comment = old.comment;
  else addComments(pair.key, [old]);
}

function withCommentsOf(old: unknown, value: Node): Node {
  if (!isScalar(old)) addComments(value, [old]);
  else {
    if (old.commentBefore) value.commentBefore = old.commentBefore;
    if (old.comment) value.comment = old.comment;
  }
  return value;
}

/** Moves all comments of removed nodes above `target`. */
function addComments(target: unknown, removed: readonly unknown[]): void {
  const comments = removed.flatMap(commentsIn);
  if (!isNode(target) || comments.length === 0) return;
  target.commentBefore = [target.commentBefore, ...comments].filter((text) => text).join('\n');
}

function commentsIn(removed: unknown): string[] {
  const comments: string[] = [];
  if (!isNode(removed)) return comments;
  visit(removed, (_, node) => {
    if (!isNode(node)) return;
    if (node.commentBefore) comments.push(node.commentBefore);
    if (node.comment) comments.push(node.comment);
  });
  return comments;
}

function findPair(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === key);
}

/** Undefined if an alias lost its anchor. */
function toText(document: Document): string | undefined {
  try {
    return document.toString({ lineWidth: 0, flowCollectionPadding: false });
  } catch {
    return undefined;
  }
}
