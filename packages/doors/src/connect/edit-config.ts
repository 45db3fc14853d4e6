/**
 * Our entry in the configuration of another agent: set and removed in its text, so that comments, order and unknown keys stay. Pure.
 */
import { isDeepStrictEqual } from 'node:util';
import { CrewError } from '@crewagent/core';
import { isObject } from '@crewagent/protocol/json-object';
import { applyEdits, modify, type ParseError, parse as parseJson } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import type { Agent } from './agents.ts';

type Target = Pick<Agent, 'format' | 'toKey'>;
type Key = readonly [string, ...string[]];
type Entry = Readonly<Record<string, unknown>>;

/** Undefined `entry`: removes it. The same text if nothing changes. Throws USAGE for a text that cannot be edited. */
export function editConfig(text: string, target: Target, entry: Entry | undefined): string {
  const before = parseConfig(text, target);
  const key = target.toKey(before);
  if (isDeepStrictEqual(entryOf(before, key), entry)) return text;
  const { [key[0]]: group } = before;
  if (group !== undefined && !isObject(group)) throw notEditable();
  const edited = target.format === 'json' ? editJson(text, key, entry) : editToml(text, key, entry);
  const after = parseConfig(edited, target);
  const isExact =
    isDeepStrictEqual(entryOf(after, key), entry) &&
    isDeepStrictEqual(withoutEntry(after, key), withoutEntry(before, key));
  if (!isExact) throw notEditable();
  return edited;
}

function notEditable(): CrewError {
  return new CrewError(
    'USAGE',
    'This file is written in a way that cannot be edited here. Add the server by hand.',
  );
}

export function hasEntry(text: string, target: Target): boolean {
  const config = parseConfig(text, target);
  return entryOf(config, target.toKey(config)) !== undefined;
}

const BOM = '\uFEFF';

function editJson(text: string, key: Key, entry: Entry | undefined): string {
  const head = text.startsWith(BOM) ? BOM : '';
  const body = text.slice(head.length);
  const base = body.trim() === '' ? '{}\n' : body;
  const indent = /^([ \t]+)"/m.exec(base)?.[1] ?? '  ';
  const eol = base.includes('\r\n') ? '\r\n' : '\n';
  const formattingOptions = { insertSpaces: !indent.includes('\t'), tabSize: indent.length, eol };
  return head + applyEdits(base, modify(base, [...key], entry, { formattingOptions }));
}

function editToml(text: string, key: Key, entry: Entry | undefined): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text === '' ? [] : text.split(/\r?\n/);
  const name = key.join('.');
  const isOwn = (line: string): boolean => {
    const header = /^\s*\[([^[\]]+)\]\s*(?:#.*)?$/.exec(line)?.[1]?.replace(/["'\s]/g, '');
    return header === name || header?.startsWith(`${name}.`) === true;
  };
  const isHeader = (line: string): boolean => /^\s*\[/.test(line);
  const start = lines.findIndex(isOwn);
  const kept = [...lines];
  if (start >= 0) {
    const next = lines.findIndex((line, index) => index > start && isHeader(line) && !isOwn(line));
    kept.splice(start, (next < 0 ? lines.length : next) - start, ...(next < 0 ? [''] : []));
  }
  if (entry === undefined) return kept.join(eol).replace(/(?:\r?\n){3,}$/, `${eol}`);
  const block = [
    `[${name}]`,
    ...Object.entries(entry).map(([field, value]) => `${field} = ${toToml(value)}`),
  ];
  const rest = kept.join(eol).replace(/(?:\r?\n)+$/, '');
  return `${rest === '' ? '' : `${rest}${eol}${eol}`}${block.join(eol)}${eol}`;
}

/** JSON texts and lists of them are TOML as well; an object becomes an inline table. */
function toToml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => JSON.stringify(item)).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([field, inner]) => `${field} = ${JSON.stringify(inner)}`)
    .join(', ')} }`;
}

function parseConfig(text: string, { format }: Pick<Target, 'format'>): Record<string, unknown> {
  const body = text.startsWith(BOM) ? text.slice(BOM.length) : text;
  if (body.trim() === '') return {};
  if (format === 'toml') {
    try {
      return toPlain(parseToml(body));
    } catch {
      throw invalid('TOML');
    }
  }
  const errors: ParseError[] = [];
  const value: unknown = parseJson(body, errors, { allowTrailingComma: true });
  if (errors.length > 0 || !isObject(value)) throw invalid('JSON');
  return toPlain(value);
}

/** To be compared: parsers give objects without a prototype, or with that of a key `__proto__`. */
function toPlain(value: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
}

function invalid(format: string): CrewError {
  return new CrewError('USAGE', `This file is not valid ${format}. Correct it first.`);
}

function entryOf(config: unknown, [name, ...inner]: readonly string[]): unknown {
  if (name === undefined) return config;
  return isObject(config) ? entryOf(config[name], inner) : undefined;
}

/** A group without servers counts as none. */
function withoutEntry(config: Record<string, unknown>, [name, ...inner]: Key): Record<string, unknown> {
  const { [name]: value, ...others } = config;
  const [next, ...deeper] = inner;
  if (value === undefined || next === undefined) return others;
  if (!isObject(value)) return config;
  const rest = withoutEntry(value, [next, ...deeper]);
  return Object.keys(rest).length === 0 ? others : { ...others, [name]: rest };
}
