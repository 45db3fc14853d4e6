/**
 * Line-based edits of plain YAML frontmatter: only lines of values that change are rewritten. Fast, because a run needs it for
 * its first request and at every transition. Pure.
 */
import { isObject } from '@crewagent/protocol/json-object';
import { isSameValue } from './same-value.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** The frontmatter with its fences, with the fields `after`; undefined if the YAML is not plain enough for a safe edit. */
export function editLines(head: string, before: Fields, after: Fields): string | undefined {
  const [, open = '', yaml = '', close] = FENCED.exec(head) ?? [];
  if (close === undefined) return undefined;
  const end = head.includes('\r\n') ? '\r' : '';
  const edited = editMap(yaml.split('\n').slice(0, -1), { indent: '', end }, before, after);
  return edited && `${open}${edited.map((line) => `${line}\n`).join('')}${close}`;
}

/** Opening fence, YAML and closing fence. */
export const FENCED = /^(\uFEFF?---[ \t]*\r?\n)([\s\S]*?)(---[ \t]*(?:\r?\n)?)$/;

interface Layout {
  /** White space before each key. */
  readonly indent: string;
  /** Last character of a new line: a carriage return, or nothing. */
  readonly end: string;
}

/** Edits the lines of a map: replaces entries, and adds new ones at the end. */
function editMap(
  lines: readonly string[],
  layout: Layout,
  before: Fields,
  after: Fields,
): string[] | undefined {
  const entries = toEntries(lines, layout.indent);
  const written = new Map(entries.map((entry) => [entry.key, entry]));
  for (const key of Object.keys(before).filter((known) => !Object.hasOwn(after, known))) {
    const entry = written.get(key);
    // Comments of a removed value are left to the full library, and so is a map that becomes empty.
    if (!entry || layout.indent !== '' || entry.lines.some((line) => line.includes('#'))) return undefined;
    entry.lines = [];
  }
  for (const [key, value] of Object.entries(after)) {
    const isNew = !Object.hasOwn(before, key);
    if (!isNew && isSameValue(before[key], value)) continue;
    const entry = written.get(key) ?? { key, lines: [] };
    if (!PLAIN_KEY.test(key) || isNew === written.has(key)) return undefined;
    const edited = isNew
      ? toEntry(key, value, layout.indent).map((line) => line + layout.end)
      : editEntry(entry.lines, layout, { key, old: before[key], value });
    if (!edited) return undefined;
    entry.lines = edited;
    if (isNew) entries.push(entry);
  }
  return entries.flatMap((entry) => entry.lines);
}

const PLAIN_KEY = /^[A-Za-z_][\w-]*$/;

interface Entry {
  /** Undefined for comments and blank lines, and for a key in another form. */
  readonly key?: string | undefined;
  lines: readonly string[];
}

/** Each key with the lines below it. Comments and blank lines after them belong to no key. */
function toEntries(lines: readonly string[], indent: string): Entry[] {
  const entries: { key?: string | undefined; lines: string[] }[] = [];
  const [inside, item] = [`${indent} `, `${indent}- `];
  let held: string[] = [];
  for (const line of lines) {
    const content = line.trimStart();
    if (content === '' || content.startsWith('#')) {
      held.push(line);
      continue;
    }
    const isInside = line.startsWith(inside) || line.startsWith(item);
    const current = entries.at(-1);
    if (isInside && current) current.lines.push(...held, line);
    else entries.push({ lines: held }, { key: keyIn(line, indent), lines: [line] });
    held = [];
  }
  return [...entries, { lines: held }];
}

function keyIn(line: string, indent: string): string | undefined {
  return line.startsWith(indent) ? /^([\w-]+):/.exec(line.slice(indent.length))?.[1] : undefined;
}

interface Change {
  readonly key: string;
  readonly old: unknown;
  readonly value: unknown;
}

function editEntry(
  lines: readonly string[],
  { indent, end }: Layout,
  { key, old, value }: Change,
): string[] | undefined {
  const [first = '', ...below] = lines;
  const isBelow = /^ *[\w-]+: *(?:#.*)?\r?$/.test(first);
  const [inner = '', mark] = /^ *(- )?/.exec(below[0] ?? '') ?? [];
  if (isBelow && mark && Array.isArray(old) && Array.isArray(value) && value.length > 0) {
    const items = editItems(below, { indent: inner.slice(0, -2), end }, old, value);
    return items && [first, ...items];
  }
  if (isBelow && !mark && inner.length > indent.length && isObject(old) && isObject(value)) {
    const entries = editMap(below, { indent: inner, end }, old, value);
    return entries && [first, ...entries];
  }
  const comment = commentOf(first.trimEnd());
  // Comments inside a replaced value are left to the full library.
  if (comment === undefined || below.some((line) => line.includes('#'))) return undefined;
  const isInline = below.length === 0 && Array.isArray(value) && Array.isArray(old) && old.length > 0;
  const [head = '', ...rest] = isInline
    ? [`${indent}${key}: ${toScalar(value)}`]
    : toEntry(key, value, indent);
  return [head + comment, ...rest].map((line) => line + end);
}

/** Edits the lines of a list, in which items that stay keep their lines. */
function editItems(
  lines: readonly string[],
  { indent, end }: Layout,
  old: readonly unknown[],
  value: readonly unknown[],
): string[] | undefined {
  const written: string[][] = [];
  for (const line of lines) {
    if (line.startsWith(`${indent}- `)) written.push([line]);
    else written.at(-1)?.push(line);
  }
  if (written.length !== old.length) return undefined;
  const unused = old.map((item, index) => ({ item, lines: written[index] ?? [] }));
  const edited = value.flatMap((item) => {
    const index = unused.findIndex((known) => isSameValue(known.item, item));
    const [known] = index === -1 ? [] : unused.splice(index, 1);
    return known?.lines ?? toItem(item, indent).map((line) => line + end);
  });
  // Comments at a removed item are left to the full library.
  return unused.some((known) => known.lines.some((line) => line.includes('#'))) ? undefined : edited;
}

/** Comment after a one-line value, including the space before it; undefined if a hash may be part of the value. */
function commentOf(line: string): string | undefined {
  const value = line.replace(/^ *[\w-]+:/, '');
  const closed = /^ +(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|\[ *\]|\{ *\})/.exec(value)?.[0] ?? '';
  if (closed === '' && /^ +["'&*!|>[{]/.test(value)) return value.includes('#') ? undefined : '';
  const rest = value.slice(closed.length);
  let start = rest.search(/[ \t]#/);
  if (start === -1) return '';
  while (/[ \t]/.test(rest[start - 1] ?? '')) start--;
  return rest.slice(start);
}

function toItem(value: unknown, indent: string): string[] {
  if (!isPlainMap(value)) return [`${indent}- ${toScalar(value)}`];
  const [first = '', ...rest] = Object.entries(value).flatMap(([key, child]) =>
    toEntry(key, child, `${indent}  `),
  );
  return [`${indent}- ${first.trimStart()}`, ...rest];
}

function toEntry(key: string, value: unknown, indent: string): string[] {
  if (Array.isArray(value) && value.length > 0)
    return [`${indent}${key}:`, ...value.flatMap((item) => toItem(item, `${indent}  `))];
  if (!isPlainMap(value)) return [`${indent}${key}: ${toScalar(value)}`];
  return [
    `${indent}${key}:`,
    ...Object.entries(value).flatMap(([name, child]) => toEntry(name, child, `${indent}  `)),
  ];
}

/** A map that can be written with one plain key per line. */
function isPlainMap(value: unknown): value is Record<string, unknown> {
  if (!isObject(value)) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => PLAIN_KEY.test(key) && !RESERVED.test(key));
}

const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n|~)$/i;
const PLAIN = /^[A-Za-z_](?:[A-Za-z0-9_ ./()-]*[A-Za-z0-9_./)-])?$/;

/** Unquoted if every YAML reader takes it for text, otherwise as JSON, which is valid YAML. */
function toScalar(value: unknown): string {
  if (typeof value === 'string' && PLAIN.test(value) && !RESERVED.test(value)) return value;
  const isRow = Array.isArray(value) && value.every((item) => typeof item !== 'object');
  return isRow ? `[${value.map(toScalar).join(', ')}]` : (JSON.stringify(value) ?? 'null');
}
