/**
 * Writes a new value into JSON text: only what differs is written anew. Order of keys, indentation, line endings and a byte order
 * mark stay, and new members look like their neighbours. Pure.
 */
import { isObject } from '@crewagent/protocol/json-object';
import { findRepeatedKey, isNestedTooDeep } from '@crewagent/protocol/json-text';
import { isSameValue } from '../workflow/same-value.ts';

/** Undefined if the text is not JSON, repeats a key, or is nested too deep. */
export function parseJson(text: string): { readonly value: unknown } | undefined {
  const json = withoutMark(text);
  try {
    if (isNestedTooDeep(json)) return undefined;
    const value: unknown = JSON.parse(json);
    return findRepeatedKey(json) === undefined ? { value } : undefined;
  } catch {
    return undefined;
  }
}

/** `text` must be accepted by `parseJson`. */
export function patchJson(text: string, after: unknown): string {
  const json = withoutMark(text);
  const root = scan(json);
  const eol = json.includes('\r\n') ? '\r\n' : '\n';
  const unit = /[{[]\r?\n([ \t]+)/.exec(json)?.[1] ?? (json.trim().includes('\n') ? '  ' : undefined);
  const edited = render(root, after, { json, unit, eol });
  const patched = json.slice(0, root.start) + edited + json.slice(root.end);
  // JSON.stringify writes -0 as 0.
  const written: unknown = JSON.parse(JSON.stringify(after));
  if (!isSameValue(JSON.parse(patched), written)) throw new Error('a JSON edit did not give the new value');
  return text.slice(0, text.length - json.length) + patched;
}

function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

interface JsonNode {
  readonly start: number;
  readonly end: number;
  readonly value: unknown;
  /** Members of an object or items of an array. */
  readonly children?: readonly Child[];
}

interface Child {
  /** Undefined in an array. */
  readonly key: string | undefined;
  /** Of the key, or of the item. */
  readonly start: number;
  readonly node: JsonNode;
}

/** Positions of all values of valid JSON. */
function scan(json: string): JsonNode {
  let at = 0;
  const match = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const [found = ''] = pattern.exec(json) ?? [];
    at += found.length;
    return found;
  };
  const readValue = (): JsonNode => {
    match(SPACE);
    const start = at;
    const open = json[at];
    if (open !== '{' && open !== '[') {
      match(SCALAR);
      return { start, end: at, value: JSON.parse(json.slice(start, at)) };
    }
    const children: Child[] = [];
    at++;
    for (match(SPACE); json[at] !== '}' && json[at] !== ']'; match(SEPARATOR)) {
      const childStart = at;
      const key = open === '{' ? (JSON.parse(match(SCALAR)) as string) : undefined;
      if (open === '{') match(COLON);
      children.push({ key, start: childStart, node: readValue() });
    }
    at++;
    return { start, end: at, value: JSON.parse(json.slice(start, at)), children };
  };
  return readValue();
}

const SPACE = /[ \t\r\n]*/y;
const COLON = /[ \t\r\n]*:[ \t\r\n]*/y;
const SEPARATOR = /[ \t\r\n]*,?[ \t\r\n]*/y;
const SCALAR = /"(?:[^"\\]|\\.)*"|[^,\]} \t\r\n]+/y;

interface Layout {
  readonly json: string;
  /** One level of indentation; undefined for a document on one line. */
  readonly unit: string | undefined;
  readonly eol: string;
}

function render(node: JsonNode, after: unknown, layout: Layout): string {
  if (isSameValue(node.value, after)) return layout.json.slice(node.start, node.end);
  if (node.children && isObject(node.value) && isObject(after))
    return renderChildren(node, node.children, pairMembers(node.children, after), layout);
  if (node.children && Array.isArray(node.value) && Array.isArray(after))
    return renderChildren(node, node.children, pairItems(node.children, after), layout);
  const isInline = node.children !== undefined && !hasLineBreak(node, layout);
  return write(after, { ...layout, indent: indentAt(node.start, layout), isInline });
}

/** A child of the new value, with the old one it replaces. */
interface Paired {
  readonly key: string | undefined;
  readonly value: unknown;
  /** Index of the old child. */
  readonly old: number | undefined;
}

function pairMembers(children: readonly Child[], after: Readonly<Record<string, unknown>>): Paired[] {
  const known = children.flatMap(({ key = '' }, old) =>
    Object.hasOwn(after, key) && after[key] !== undefined ? [{ key, value: after[key], old }] : [],
  );
  const keys = new Set(known.map(({ key }) => key));
  const added = Object.entries(after).filter(([key, value]) => !keys.has(key) && value !== undefined);
  return [...known, ...added.map(([key, value]) => ({ key, value, old: undefined }))];
}

/** Items that are equal, or have the same id, keep their text; between them, items replace each other in order. */
function pairItems(children: readonly Child[], after: readonly unknown[]): Paired[] {
  const before = children.map(({ node }) => node.value);
  const paired: Paired[] = [];
  let [old, at] = [0, 0];
  const fill = (oldEnd: number, end: number): void => {
    for (; at < end; at++)
      paired.push({ key: undefined, value: after[at], old: old < oldEnd ? old++ : undefined });
    old = oldEnd;
  };
  for (const [oldIndex, index] of commonItems(before, after)) {
    fill(oldIndex, index);
    paired.push({ key: undefined, value: after[index], old: oldIndex });
    [old, at] = [oldIndex + 1, index + 1];
  }
  fill(before.length, after.length);
  return paired;
}

/** Beyond it, items are compared at the same index only. */
const MAX_COMPARISONS = 250_000;

/** The longest common subsequence, as pairs of indexes. */
function commonItems(before: readonly unknown[], after: readonly unknown[]): [number, number][] {
  let start = 0;
  while (start < Math.min(before.length, after.length) && isSameItem(before[start], after[start])) start++;
  const head = Array.from({ length: start }, (_, index): [number, number] => [index, index]);
  const [rows, columns] = [before.length - start, after.length - start];
  if (rows * columns > MAX_COMPARISONS) return head;
  const lengths = Array.from({ length: rows + 1 }, () => new Uint32Array(columns + 1));
  const lengthAt = (row: number, column: number): number => lengths[row]?.[column] ?? 0;
  const isMatch = (row: number, column: number): boolean =>
    isSameItem(before[start + row], after[start + column]);
  for (let row = rows - 1; row >= 0; row--)
    for (let column = columns - 1; column >= 0; column--) {
      const line = lengths[row];
      if (line)
        line[column] = isMatch(row, column)
          ? lengthAt(row + 1, column + 1) + 1
          : Math.max(lengthAt(row + 1, column), lengthAt(row, column + 1));
    }
  const found = head;
  for (let [row, column] = [0, 0]; row < rows && column < columns; ) {
    if (isMatch(row, column)) found.push([start + row++, start + column++]);
    else if (lengthAt(row + 1, column) >= lengthAt(row, column + 1)) row++;
    else column++;
  }
  return found;
}

function isSameItem(one: unknown, other: unknown): boolean {
  const id = isObject(one) ? one.id : undefined;
  if (typeof id === 'string' && isObject(other) && other.id === id) return true;
  return isSameValue(one, other);
}

/** The old text between the children stays with the child that follows it. */
function renderChildren(
  node: JsonNode,
  children: readonly Child[],
  paired: readonly Paired[],
  layout: Layout,
): string {
  const { json } = layout;
  const [open = '', close = ''] = [json[node.start], json[node.end - 1]];
  if (paired.length === 0) return open + close;
  const last = children.at(-1);
  const first = children[0];
  if (!first || !last) return write(toValue(paired), { ...layout, indent: indentAt(node.start, layout) });
  const gaps = children.map(({ start }, index) =>
    json.slice(index === 0 ? node.start + 1 : (children[index - 1]?.node.end ?? start), start),
  );
  const firstLead = gaps[0] ?? '';
  const lead = (gaps.at(-1) ?? '').replace(/^[ \t\r\n]*,/, '');
  const parts = paired.map(({ key, value, old }, index) => {
    const child = old === undefined ? undefined : children[old];
    const gap = old === undefined ? undefined : gaps[old];
    const separator = index === 0 ? firstLead : old === 0 || gap === undefined ? `,${lead}` : gap;
    if (child)
      return separator + json.slice(child.start, child.node.start) + render(child.node, value, layout);
    const isInline =
      !lead.includes('\n') || (last.node.children !== undefined && !hasLineBreak(last.node, layout));
    const indent = /\n([ \t]*)$/.exec(lead)?.[1] ?? '';
    const name = key === undefined ? '' : `${JSON.stringify(key)}: `;
    return separator + name + write(value, { ...layout, indent, isInline });
  });
  return open + parts.join('') + json.slice(last.node.end, node.end);
}

function toValue(paired: readonly Paired[]): unknown {
  return paired[0]?.key === undefined
    ? paired.map(({ value }) => value)
    : Object.fromEntries(paired.map(({ key = '', value }) => [key, value]));
}

function hasLineBreak({ start, end }: JsonNode, { json }: Layout): boolean {
  return json.slice(start, end).includes('\n');
}

/** White space at the start of the line. */
function indentAt(position: number, { json }: Layout): string {
  const line = json.slice(json.lastIndexOf('\n', position - 1) + 1, position);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

interface Written extends Layout {
  readonly indent: string;
  /** On one line, as its neighbours are. */
  readonly isInline?: boolean;
}

function write(value: unknown, { unit, eol, indent, isInline = false }: Written): string {
  if (unit === undefined) return JSON.stringify(value);
  if (isInline) return writeInline(value);
  return JSON.stringify(value, undefined, unit).replaceAll('\n', eol + indent);
}

function writeInline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writeInline).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, inner]) => inner !== undefined);
  if (members.length === 0) return '{}';
  return `{ ${members.map(([key, inner]) => `${JSON.stringify(key)}: ${writeInline(inner)}`).join(', ')} }`;
}
