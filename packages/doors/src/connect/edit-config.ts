/**
 * Our entry in the configuration of another agent: set and removed in its text, so that comments, order and unknown keys stay. Pure.
 */
import { isDeepStrictEqual } from 'node:util';
import { CrewError } from '@crewagent/core';
import { isObject } from '@crewagent/protocol/json-object';
import { applyEdits, modify, type ParseError, parse as parseJson } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import type { Agent } from './agents.ts';

type Target = Pick<Agent, 'format' | 'key'>;
type Entry = Readonly<Record<string, unknown>>;

/** Undefined `entry`: removes it. The same text if nothing changes. Throws USAGE for a text that cannot be edited. */
export function editConfig(text: string, target: Target, entry: Entry | undefined): string {
  const before = parseConfig(text, target);
  if (isDeepStrictEqual(entryOf(before, target), entry)) return text;
  const { [target.key[0]]: group } = before;
  if (group !== undefined && !isObject(group)) throw notEditable();
  const edited = target.format === 'json' ? editJson(text, target, entry) : editToml(text, target, entry);
  const after = parseConfig(edited, target);
  const isExact =
    isDeepStrictEqual(entryOf(after, target), entry) &&
    isDeepStrictEqual(withoutEntry(after, target), withoutEntry(before, target));
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
  return entryOf(parseConfig(text, target), target) !== undefined;
}

const BOM = '\uFEFF';

function editJson(text: string, { key }: Target, entry: Entry | undefined): string {
  const head = text.startsWith(BOM) ? BOM : '';
  const body = text.slice(head.length);
  const base = body.trim() === '' ? '{}\n' : body;
  const indent = /^([ \t]+)"/m.exec(base)?.[1] ?? '  ';
  const eol = base.includes('\r\n') ? '\r\n' : '\n';
  const formattingOptions = { insertSpaces: !indent.includes('\t'), tabSize: indent.length, eol };
  return head + applyEdits(base, modify(base, [...key], entry, { formattingOptions }));
}

function editToml(text: string, { key }: Target, entry: Entry | undefined): string {
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

/** JSON texts and lists of them are TOML as well. */
function toToml(value: unknown): string {
  return Array.isArray(value)
    ? `[${value.map((item) => JSON.stringify(item)).join(', ')}]`
    : JSON.stringify(value);
}

function parseConfig(text: string, { format }: Target): Record<string, unknown> {
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

function entryOf(config: Record<string, unknown>, { key: [group, name] }: Target): unknown {
  const servers = config[group];
  return isObject(servers) ? servers[name] : undefined;
}

/** A group without servers counts as none. */
function withoutEntry(config: Record<string, unknown>, { key: [group, name] }: Target): object {
  const { [group]: servers, ...others } = config;
  if (servers === undefined) return others;
  if (!isObject(servers)) return config;
  const { [name]: _, ...rest } = servers;
  return Object.keys(rest).length === 0 ? others : { ...others, [group]: rest };
}
