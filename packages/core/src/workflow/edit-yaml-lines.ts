/**
 * Line-based edits of plain YAML frontmatter: only changed lines are rewritten. Each edit returns the new text, or
 * undefined if the YAML is not plain enough for a safe edit. Pure.
 */
/** A retained list item: unchanged, or with a new value. */
export interface ListItem {
  readonly index: number;
  readonly value?: unknown;
}

export interface YamlLines {
  /** Frontmatter including its fences. */
  readonly text: string;
}

/** Appends to a top-level list, which may be absent, empty, in flow or in block style. */
export function appendItems(
  document: YamlLines,
  key: string,
  items: readonly unknown[],
  count: number,
): YamlLines | undefined {
  const block = findBlock(document.text, key);
  if (block === undefined)
    return insertAtEnd(document, [`${key}:`, ...items.flatMap((item) => toItem(item, '  '))]);
  const [first = ''] = block.lines;
  if (count === 0) {
    const empty = /^[\w-]+: *(?:\[ *\])?( +#.*)?$/.exec(first);
    if (block.lines.length > 1 || !empty) return undefined;
    const head = `${key}:${empty[1] ?? ''}`;
    return replaceLines(document, block, [head, ...items.flatMap((item) => toItem(item, '  '))]);
  }
  const indent = /^( *)- /.exec(block.lines[1] ?? '')?.[1];
  if (indent === undefined || !/^[\w-]+: *(?:#.*)?$/.test(first)) return undefined;
  return replaceLines(document, block, [...block.lines, ...items.flatMap((item) => toItem(item, indent))]);
}

/** Removes or replaces items of a top-level list with one item per line. */
export function editItems(
  document: YamlLines,
  key: string,
  retained: readonly ListItem[],
  count: number,
): YamlLines | undefined {
  const block = findBlock(document.text, key);
  const [first, ...items] = block?.lines ?? [];
  const indent = /^ *- /.exec(items[0] ?? '')?.[0];
  if (!block || !first || indent === undefined || items.length !== count || retained.length === 0)
    return undefined;
  if (!items.every((line) => line.startsWith(indent))) return undefined;
  const untouched = new Set(retained.filter((item) => !('value' in item)).map(({ index }) => index));
  if (items.some((line, index) => line.includes('#') && !untouched.has(index))) return undefined;
  return replaceLines(document, block, [
    first,
    ...retained.map((item) => ('value' in item ? indent + toScalar(item.value) : (items[item.index] ?? ''))),
  ]);
}

/** Sets a top-level key to a list, in place of its previous value and any comments inside it. */
export function replaceList(
  document: YamlLines,
  key: string,
  items: readonly unknown[],
): YamlLines | undefined {
  const lines =
    items.length === 0 ? [`${key}: []`] : [`${key}:`, ...items.flatMap((item) => toItem(item, '  '))];
  const block = findBlock(document.text, key);
  return block === undefined ? insertAtEnd(document, lines) : replaceLines(document, block, lines);
}

/** Sets a top-level key to a one-line value. */
export function replaceValue(document: YamlLines, key: string, value: unknown): YamlLines | undefined {
  const line = `${key}: ${toScalar(value)}`;
  const block = findBlock(document.text, key);
  if (block === undefined) return insertAtEnd(document, [line]);
  const comment = commentOf(block.lines[0] ?? '');
  if (block.lines.length > 1 || comment === undefined) return undefined;
  return replaceLines(document, block, [line + comment]);
}

/** Sets entries of a top-level map, which may be absent or empty. */
export function setEntries(
  document: YamlLines,
  key: string,
  entries: Readonly<Record<string, unknown>>,
): YamlLines | undefined {
  const names = Object.keys(entries);
  if (!names.every((name) => /^[A-Za-z_][\w-]*$/.test(name))) return undefined;
  const write = (name: string, indent: string): string[] => toEntry(name, entries[name], indent);
  const block = findBlock(document.text, key);
  if (block === undefined)
    return insertAtEnd(document, [`${key}:`, ...names.flatMap((name) => write(name, '  '))]);
  const [first = '', second = ''] = block.lines;
  if (block.lines.length === 1) {
    const empty = /^[\w-]+: *(?:\{ *\})?( +#.*)?$/.exec(first);
    if (!empty) return undefined;
    const head = `${key}:${empty[1] ?? ''}`;
    return replaceLines(document, block, [head, ...names.flatMap((name) => write(name, '  '))]);
  }
  const indent = /^ +/.exec(second)?.[0];
  if (indent === undefined || !/^[\w-]+: *(?:#.*)?$/.test(first)) return undefined;
  const pending = new Set(names);
  const lines: string[] = [];
  let isReplaced = false;
  for (const line of block.lines) {
    const isInside = line.startsWith(`${indent} `) || line.startsWith(`${indent}- `);
    if (isInside && isReplaced) {
      // Comments inside a replaced value are left to the full library.
      if (line.includes('#')) return undefined;
      continue;
    }
    const colon = line.indexOf(':');
    const name = line.startsWith(indent) && colon !== -1 ? line.slice(indent.length, colon) : '';
    isReplaced = pending.delete(name);
    const comment = isReplaced ? commentOf(line) : '';
    if (comment === undefined) return undefined;
    const [head = '', ...rest] = isReplaced ? write(name, indent) : [line];
    lines.push(head + comment, ...rest);
  }
  return replaceLines(document, block, [...lines, ...[...pending].flatMap((name) => write(name, indent))]);
}

/** Comment after a one-line value, including the space before it; undefined if a hash may be part of the value. */
function commentOf(line: string): string | undefined {
  const value = line.replace(/^ *[\w-]+:/, '');
  const quoted = /^ +(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')/.exec(value)?.[0] ?? '';
  if (quoted === '' && /^ +["'&*!|>[{]/.test(value)) return value.includes('#') ? undefined : '';
  const rest = value.slice(quoted.length);
  let start = rest.search(/[ \t]#/);
  if (start === -1) return '';
  while (/[ \t]/.test(rest[start - 1] ?? '')) start--;
  return rest.slice(start);
}

interface Block {
  /** Offset in the text. */
  readonly start: number;
  readonly end: number;
  /** Lines without line breaks; trailing comments and blank lines belong to the next key. */
  readonly lines: readonly string[];
}

/** Lines of a top-level key: its own line and the indented lines or list items below it. */
function findBlock(text: string, key: string): Block | undefined {
  const match = new RegExp(`^${key}:`, 'm').exec(text);
  if (!match) return undefined;
  const lines: string[] = [];
  let position = match.index;
  let end = position;
  while (position < text.length) {
    const lineEnd = text.indexOf('\n', position);
    const next = lineEnd === -1 ? text.length : lineEnd + 1;
    const line = text.slice(position, lineEnd === -1 ? next : lineEnd).replace(/\r$/, '');
    const isOwn = lines.length === 0 || /^(?: |- )/.test(line);
    if (!isOwn && !/^(?:#.*)?$/.test(line)) break;
    lines.push(line);
    position = next;
    if (lines.length === 1 || (isOwn && !/^\s*(?:#.*)?$/.test(line))) end = next;
  }
  const retained = text.slice(match.index, end).split(/\r?\n/);
  if (retained.at(-1) === '') retained.pop();
  return { start: match.index, end, lines: retained };
}

function replaceLines(document: YamlLines, block: Block, lines: readonly string[]): YamlLines {
  const { text } = document;
  const newline = newlineOf(text);
  return {
    text: text.slice(0, block.start) + lines.map((line) => line + newline).join('') + text.slice(block.end),
  };
}

/** Inserts before the closing fence. */
function insertAtEnd(document: YamlLines, lines: readonly string[]): YamlLines | undefined {
  const { text } = document;
  const fence = /---[ \t]*(?:\r?\n)?$/.exec(text);
  if (!fence) return undefined;
  const newline = newlineOf(text);
  return {
    text: text.slice(0, fence.index) + lines.map((line) => line + newline).join('') + text.slice(fence.index),
  };
}

function newlineOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
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
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => /^[A-Za-z_][\w-]*$/.test(key) && !RESERVED.test(key));
}

const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n|~)$/i;
const PLAIN = /^[A-Za-z_](?:[A-Za-z0-9_ ./()-]*[A-Za-z0-9_./)-])?$/;

/** Unquoted if every YAML reader takes it for text, otherwise as JSON, which is valid YAML. */
function toScalar(value: unknown): string {
  if (typeof value === 'string' && PLAIN.test(value) && !RESERVED.test(value)) return value;
  const isRow = Array.isArray(value) && value.every((item) => typeof item !== 'object');
  return isRow ? `[${value.map(toScalar).join(', ')}]` : (JSON.stringify(value) ?? 'null');
}
