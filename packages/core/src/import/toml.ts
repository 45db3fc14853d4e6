/**
 * Parses the subset of TOML that `customize.toml` files use: tables, arrays of tables, all four kinds of strings, numbers,
 * booleans, arrays and inline tables. Anything else is an error with its line. Pure.
 */
import type { Fields } from './source-yaml.ts';

export type TomlResult =
  | { readonly ok: true; readonly value: Fields }
  | { readonly ok: false; readonly reason: string; readonly line: number };

type Table = Record<string, unknown>;

const MAX_DEPTH = 16;
const MAX_CHARS = 262_144;

class TomlError extends Error {}

export function parseToml(text: string): TomlResult {
  const reader = createReader(text);
  try {
    if (text.length > MAX_CHARS) throw new TomlError('it is longer than the limit');
    return { ok: true, value: readDocument(reader) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return { ok: false, reason: error.message, line: text.slice(0, reader.at()).split('\n').length };
  }
}

type Reader = ReturnType<typeof createReader>;

function createReader(source: string) {
  const text = source.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  let at = 0;
  const fail = (reason: string): never => {
    throw new TomlError(reason);
  };
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match) return undefined;
    at += match[0].length;
    return match;
  };
  const expect = (pattern: RegExp, what: string): RegExpExecArray =>
    take(pattern) ?? fail(`${what} is expected`);
  return { at: () => at, isAtEnd: () => at >= text.length, take, expect, fail };
}

const BLANK = /(?:[ \t\n]|#[^\n]*)*/y;
const SPACE = /[ \t]*/y;

function readDocument(reader: Reader): Table {
  const root: Table = {};
  let table = root;
  for (reader.take(BLANK); !reader.isAtEnd(); reader.take(BLANK)) {
    const isList = reader.take(/\[\[/y) !== undefined;
    if (isList || reader.take(/\[/y)) {
      table = openTable(root, readKey(reader), isList, reader);
      reader.expect(isList ? /[ \t]*\]\]/y : /[ \t]*\]/y, 'a closing bracket');
    } else {
      readPair(table, reader, 0);
    }
    reader.expect(/[ \t]*(?:#[^\n]*)?(?:\n|$)/y, 'the end of the line');
  }
  return root;
}

function readKey(reader: Reader): string[] {
  const parts: string[] = [];
  do {
    reader.take(SPACE);
    const bare = reader.take(/[\w-]+/y)?.[0];
    const quoted = bare ?? reader.take(/"([^"\\\n]*)"|'([^'\n]*)'/y);
    const part = typeof quoted === 'string' ? quoted : (quoted?.[1] ?? quoted?.[2]);
    if (part === undefined) return reader.fail('a key is expected');
    if (part === '__proto__' || parts.length > MAX_DEPTH) return reader.fail('the key is not allowed');
    parts.push(part);
    reader.take(SPACE);
  } while (reader.take(/\./y));
  return parts;
}

function openTable(root: Table, path: readonly string[], isList: boolean, reader: Reader): Table {
  const last = path.at(-1) ?? '';
  let table = root;
  for (const part of path.slice(0, -1)) table = descend(table, part, reader);
  if (!isList) return descend(table, last, reader);
  table[last] ??= [];
  const list = table[last];
  if (!Array.isArray(list)) return reader.fail(`"${last}" is not a list of tables`);
  const item: Table = {};
  list.push(item);
  return item;
}

function descend(table: Table, key: string, reader: Reader): Table {
  table[key] ??= {};
  const existing = table[key];
  const next: unknown = Array.isArray(existing) ? existing.at(-1) : existing;
  if (typeof next !== 'object' || next === null) return reader.fail(`"${key}" is not a table`);
  return next as Table;
}

function readPair(table: Table, reader: Reader, depth: number): void {
  const path = readKey(reader);
  reader.expect(/=[ \t]*/y, 'an equals sign');
  let target = table;
  for (const part of path.slice(0, -1)) target = descend(target, part, reader);
  const key = path.at(-1) ?? '';
  if (Object.hasOwn(target, key)) reader.fail(`the key "${key}" is used twice`);
  target[key] = readValue(reader, depth);
}

function readValue(reader: Reader, depth: number): unknown {
  if (depth > MAX_DEPTH) return reader.fail('values are nested too deep');
  const long = reader.take(/"""\n?((?:[^"\\]|\\[\s\S]|"(?!""))*)"""/y);
  if (long) return toPlain((long[1] ?? '').replace(/\\\n\s*/g, ''));
  const raw = reader.take(/'''\n?((?:[^']|'(?!''))*)'''|'([^'\n]*)'/y);
  if (raw) return raw[1] ?? raw[2] ?? '';
  const text = reader.take(/"((?:[^"\\\n]|\\.)*)"/y);
  if (text) return toPlain(text[1] ?? '');
  if (reader.take(/\[/y)) return readArray(reader, depth);
  if (reader.take(/\{/y)) return readInline(reader, depth);
  const token = reader.expect(/[^\s,\]}#]+/y, 'a value')[0];
  if (token === 'true' || token === 'false') return token === 'true';
  const number = Number(token.replaceAll('_', ''));
  // Dates are returned as written.
  return Number.isFinite(number)
    ? number
    : /^\d{4}-\d\d/.test(token)
      ? token
      : reader.fail('a value is expected');
}

function readArray(reader: Reader, depth: number): unknown[] {
  const items: unknown[] = [];
  for (reader.take(BLANK); !reader.take(/\]/y); reader.take(BLANK)) {
    items.push(readValue(reader, depth + 1));
    reader.take(BLANK);
    if (!reader.take(/,/y)) {
      reader.expect(/\]/y, 'a comma or a closing bracket');
      break;
    }
  }
  return items;
}

function readInline(reader: Reader, depth: number): Table {
  const table: Table = {};
  for (reader.take(SPACE); !reader.take(/\}/y); reader.take(SPACE)) {
    readPair(table, reader, depth + 1);
    reader.take(SPACE);
    if (!reader.take(/,/y)) {
      reader.expect(/\}/y, 'a comma or a closing brace');
      break;
    }
  }
  return table;
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  e: '\u001b',
};

function toPlain(text: string): string {
  return text.replace(
    /\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([\s\S]))/g,
    (_, short: string | undefined, wide: string | undefined, one: string | undefined): string => {
      const code = Number.parseInt(short ?? wide ?? '', 16);
      if (Number.isNaN(code)) return ESCAPES[one ?? ''] ?? one ?? '';
      return code <= 0x10_ff_ff ? String.fromCodePoint(code) : '\ufffd';
    },
  );
}
