/**
 * Edits state documents with the full YAML library, where the line editor gives up. Slower, and may change white space
 * of the edited lines. Pure.
 */
import type { StateUpdate } from '@crewagent/protocol/workflow';
import {
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml';
import type { ListItem } from './edit-yaml-lines.ts';
import { LISTS, SCALARS } from './state-fields.ts';

export interface Reset {
  /** New values of top-level keys; only those that change. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Clears the completion status: a template copied from a finished run must not start as complete. */
  readonly reopens: boolean;
}

export function updateDocument(head: string, update: StateUpdate): string | undefined {
  return editFenced(head, (document, root) => {
    for (const key of LISTS) {
      for (const item of update[key]?.append ?? []) {
        if (!isSeq(document.get(key, true))) setValue(root, key, document.createNode([]));
        document.addIn([key], document.createNode(item));
      }
    }
    for (const [key, value] of Object.entries(update.variables?.set ?? {})) {
      if (!isMap(document.get('variables', true))) setValue(root, 'variables', document.createNode({}));
      const variables = document.get('variables', true);
      if (isMap(variables)) setValue(variables, key, document.createNode(value));
    }
    for (const key of SCALARS) if (update[key]) setValue(root, key, document.createNode(update[key].set));
  });
}

/** Resets fields, including multi-line lists and unusual YAML. */
export function resetDocument(head: string, { fields, reopens }: Reset): string | undefined {
  return editFenced(head, (document, root) => {
    for (const [key, value] of Object.entries(fields)) {
      setValue(root, key, document.createNode(value, { flow: Array.isArray(value) && value.length === 0 }));
    }
    const variables = document.get('variables', true);
    if (reopens && isMap(variables)) setValue(variables, 'workflowStatus', document.createNode(''));
  });
}

/** Removes or replaces items of lists; comments of the other items stay. */
export function editLists(
  head: string,
  lists: Readonly<Record<string, readonly ListItem[]>>,
): string | undefined {
  return editFenced(head, (document, root) => {
    for (const [key, retained] of Object.entries(lists)) {
      const list = document.get(key, true);
      if (!isSeq(list)) continue;
      const { items } = list;
      const removed = items.filter((_, index) => !retained.some((item) => item.index === index));
      list.items = retained.map((item) =>
        'value' in item
          ? withCommentsOf(items[item.index], document.createNode(item.value))
          : items[item.index],
      );
      addComments(findPair(root, key)?.key, removed);
    }
  });
}

export interface Reopening {
  readonly stepsRemoved: readonly string[];
  /** Whether `variables.workflowStatus` is "complete". */
  readonly isMarkedComplete: boolean;
}

/** Removes everything that marks the run as complete. */
export function reopenDocument(
  head: string,
  { stepsRemoved, isMarkedComplete }: Reopening,
): string | undefined {
  return editFenced(head, (document, root) => {
    const steps = document.get('stepsCompleted', true);
    if (isSeq(steps) && stepsRemoved.length > 0) {
      const isRemoved = (item: unknown): boolean =>
        isScalar(item) && typeof item.value === 'string' && stepsRemoved.includes(item.value);
      const removed = steps.items.filter(isRemoved);
      steps.items = steps.items.filter((item) => !isRemoved(item));
      addComments(findPair(root, 'stepsCompleted')?.key, removed);
    }
    const variables = document.get('variables', true);
    if (!isMarkedComplete || !isMap(variables)) return;
    const status = findPair(variables, 'workflowStatus');
    variables.delete('workflowStatus');
    addComments(findPair(root, 'variables')?.key, [status?.key, status?.value]);
  });
}

function editFenced(head: string, edit: (document: Document, root: YAMLMap) => void): string | undefined {
  const [, open = '', yaml = '', close = ''] = FENCED.exec(head) ?? [];
  const document = parseDocument(yaml.replaceAll('\r\n', '\n'));
  if (!isMap(document.contents)) return undefined;
  edit(document, document.contents);
  const edited = toText(document);
  if (edited === undefined) return undefined;
  return open + (head.includes('\r\n') ? edited.replaceAll('\n', '\r\n') : edited) + close;
}

const FENCED = /^(\uFEFF?---[ \t]*\r?\n)([\s\S]*?)(---[ \t]*(?:\r?\n)?)$/;

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
