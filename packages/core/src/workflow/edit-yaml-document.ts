/**
 * State documents edited with the full YAML library: for what the line editor does not understand. Slower, and free to
 * re-space the lines it touches. Pure.
 */
import type { StateUpdate } from '@crewagent/protocol/workflow';
import { type Document, isMap, isScalar, isSeq, parseDocument, type YAMLSeq } from 'yaml';
import type { ListItem } from './edit-yaml-lines.ts';
import { LISTS, SCALARS } from './state-fields.ts';

export interface Reset {
  /** What top-level keys are to be; only those that change. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** A template that was taken from a finished run must not begin a run that is complete already. */
  readonly reopens: boolean;
}

export function updateDocument(head: string, update: StateUpdate): string {
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

/** For lists over several lines and unusual YAML. */
export function resetDocument(head: string, { fields, reopens }: Reset): string | undefined {
  return editFenced(head, (document) => {
    for (const [key, value] of Object.entries(fields)) {
      const node = document.get(key, true);
      if (isSeq(node) && Array.isArray(value) && value.length === 0) clearList(node);
      else document.set(key, value);
    }
    if (reopens) document.setIn(['variables', 'workflowStatus'], '');
  });
}

/** Lists with some of their items left out or replaced; comments at the others stay. */
export function editLists(
  head: string,
  lists: Readonly<Record<string, readonly ListItem[]>>,
): string | undefined {
  return editFenced(head, (document) => {
    for (const [key, kept] of Object.entries(lists)) {
      const list = document.get(key, true);
      if (!isSeq(list)) continue;
      const { items } = list;
      list.items = kept.map((item) =>
        'value' in item ? document.createNode(item.value) : items[item.index],
      );
    }
  });
}

export interface Reopening {
  readonly stepsRemoved: readonly string[];
  /** `variables.workflowStatus` says so. */
  readonly isMarked: boolean;
}

/** Takes away what says that the run is complete. */
export function reopenDocument(head: string, { stepsRemoved, isMarked }: Reopening): string | undefined {
  return editFenced(head, (document) => {
    const steps = document.get('stepsCompleted', true);
    if (isSeq(steps) && stepsRemoved.length > 0)
      steps.items = steps.items.filter((item) => {
        const id: unknown = isScalar(item) ? item.value : item;
        return !(typeof id === 'string' && stepsRemoved.includes(id));
      });
    if (isMarked) document.deleteIn(['variables', 'workflowStatus']);
  });
}

function editFenced(head: string, edit: (document: Document) => void): string | undefined {
  const [, open = '', yaml = '', close = ''] = FENCED.exec(head) ?? [];
  const document = parseDocument(yaml.replaceAll('\r\n', '\n'));
  edit(document);
  const edited = toText(document);
  if (edited === undefined) return undefined;
  return open + (head.includes('\r\n') ? edited.replaceAll('\n', '\r\n') : edited) + close;
}

const FENCED = /^(\uFEFF?---[ \t]*\r?\n)([\s\S]*?)(---[ \t]*(?:\r?\n)?)$/;

/** The list itself stays, and so do comments at it. */
function clearList(list: YAMLSeq): void {
  list.items = [];
  list.flow = true;
}

/** Undefined when an alias lost what it stands for. */
function toText(document: Document): string | undefined {
  try {
    return document.toString({ lineWidth: 0, flowCollectionPadding: false });
  } catch {
    return undefined;
  }
}
