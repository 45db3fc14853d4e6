/**
 * `customize.toml` of a skill with the overrides of a team and of a person, and the tokens of its texts: `{workflow.report_path}`
 * becomes the variable `{workflow_report_path}`, `{{.date}}` becomes `{{date}}`, `[[snapshot:a.md]]` becomes `a.md`. Lines keep their numbers, so that what is found in a
 * text can be cited; only `inline` adds lines.
 */
import { posix } from 'node:path';
import { isObject } from '@crewagent/protocol/json-object';
import type { ImportNotes } from './import-notes.ts';
import { parseToml } from './parse-toml.ts';
import type { SourceTree } from './read-source.ts';
import type { Fields } from './source-yaml.ts';

export interface Customization {
  /** The source with the tokens replaced. */
  readonly tree: SourceTree;
  /** The merged tables of the skill that a file belongs to; empty if it has none. */
  tablesOf(path: string): Fields;
  /** Initial values of the variables that the texts of a skill name. */
  variablesOf(folder: string): Fields;
  /** Replaces tokens that are alone on a line by their text. */
  inline(text: string, path: string): string;
}

const TOKEN = /\{([a-z]\w{0,40})\.([a-z]\w{0,80})\}/g;
const TEMPLATE = /\{\{\s?\.([A-Za-z_]\w{0,80})\s?\}\}/g;
/** `[[snapshot:step-02.md]]`: a link between files, whatever its kind is called. */
const LINK = /\[\[[a-z][\w-]{0,40}:([^\]\s]{1,300}\.\w{1,8})\]\]/g;
const TEXT_FILE = /\.(?:md|xml|ya?ml)$/;
export const CUSTOMIZE = 'customize.toml';

export function readCustomization(source: SourceTree, notes: ImportNotes): Customization {
  const skills = new Map<string, Fields>();
  for (const file of source.named(CUSTOMIZE)) {
    const folder = file.slice(0, -CUSTOMIZE.length);
    const layers = [file, ...overridesOf(folder, source)];
    const tables = layers.reduce<Fields>((merged, path) => merge(merged, read(path, source, notes)), {});
    skills.set(folder, tables);
  }
  const tablesOf = (path: string): Fields => {
    for (let at = path.lastIndexOf('/') + 1; ; at = path.lastIndexOf('/', at - 2) + 1) {
      const tables = skills.get(path.slice(0, at));
      if (tables) return tables;
      if (at === 0) return {};
    }
  };
  const texts = new Map<string, string | undefined>();
  const text = (path: string): string | undefined => {
    if (!TEXT_FILE.test(path)) return source.text(path);
    if (!texts.has(path)) texts.set(path, withVariables(source.text(path), tablesOf(path)));
    return texts.get(path);
  };
  const tree: SourceTree = {
    ...source,
    text,
    bytes(path) {
      const changed = text(path);
      return changed === source.text(path) ? source.bytes(path) : Buffer.from(changed ?? '');
    },
  };
  return {
    tree,
    tablesOf,
    variablesOf: (folder) => toVariables(tablesOf(folder)),
    inline: (written, path) => inlineTokens(written, tablesOf(path)),
  };
}

/** `custom/NAME.toml` of a team, then `custom/NAME.user.toml` of a person, in an installation. */
function overridesOf(folder: string, { name, paths }: SourceTree): string[] {
  const skill = posix.basename(folder) || name;
  return [`custom/${skill}.toml`, `custom/${skill}.user.toml`].flatMap((wanted) =>
    paths.filter((path) => path === wanted || path.endsWith(`/${wanted}`)),
  );
}

function read(path: string, { text }: SourceTree, notes: ImportNotes): Fields {
  const parsed = parseToml(text(path) ?? '');
  if (parsed.ok) return parsed.value;
  notes.add(
    'customization',
    'dropped',
    { file: path, line: parsed.line },
    `It could not be parsed: ${parsed.reason}.`,
  );
  return {};
}

/** Values replace, tables merge, lists append; entries of a list with the same `id` or `code` replace each other. */
function merge(base: Fields, over: Fields): Fields {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const before = merged[key];
    merged[key] =
      isObject(before) && isObject(value)
        ? merge(before, value)
        : Array.isArray(before) && Array.isArray(value)
          ? mergeLists(before, value)
          : value;
  }
  return merged;
}

function mergeLists(base: readonly unknown[], over: readonly unknown[]): unknown[] {
  const keyOf = (entry: unknown): unknown => (isObject(entry) ? (entry.id ?? entry.code) : undefined);
  const replaced = base.map(
    (entry) => over.find((other) => keyOf(other) !== undefined && keyOf(other) === keyOf(entry)) ?? entry,
  );
  return [...replaced, ...over.filter((entry) => !replaced.includes(entry))];
}

function findValue(tables: Fields, table: string, key: string): unknown {
  const found = Object.hasOwn(tables, table) ? tables[table] : undefined;
  return isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
}

function isUnset(value: unknown): boolean {
  return value === '' || (Array.isArray(value) && value.length === 0);
}

function withVariables(text: string | undefined, tables: Fields): string | undefined {
  const plain = text?.replace(TEMPLATE, '{{$1}}').replace(LINK, '$1');
  return plain?.replace(TOKEN, (token, table: string, key: string, at: number) => {
    const value = findValue(tables, table, key);
    if (value === undefined || isAlone(plain, token, at)) return token;
    return isUnset(value) ? '(none)' : `{${table}_${key}}`;
  });
}

function isAlone(text: string, token: string, at: number): boolean {
  const end = text.indexOf('\n', at);
  return text.slice(text.lastIndexOf('\n', at) + 1, end === -1 ? undefined : end).trim() === token;
}

function inlineTokens(text: string, tables: Fields): string {
  return text.replace(
    /^([ \t]*)\{([a-z]\w{0,40})\.([a-z]\w{0,80})\}[ \t]*$/gm,
    (token, indent: string, table: string, key: string) => {
      const value = findValue(tables, table, key);
      if (value === undefined) return token;
      return (isUnset(value) ? '_None._' : toMarkdown(value)).replace(/^(?=.)/gm, indent);
    },
  );
}

function toMarkdown(value: unknown): string {
  if (!Array.isArray(value)) return String(value).trim();
  return value
    .map((entry) => (isObject(entry) ? toPart(entry) : `- ${String(entry).trim()}`))
    .join(value.some(isObject) ? '\n\n' : '\n');
}

/** An entry with a name: its name, what else it says in one line each, and its instruction. */
function toPart({ id, code, name, instruction, ...rest }: Fields): string {
  const title = [name, id, code].find((text) => typeof text === 'string');
  const lines = Object.entries(rest).filter(([, value]) => !isUnset(value));
  return [
    `**${String(title ?? 'Entry')}**`,
    ...lines.map(([key, value]) => `- ${key}: ${String(value).trim()}`),
    ...(typeof instruction === 'string' && instruction.trim() !== '' ? ['', instruction.trim()] : []),
  ].join('\n');
}

/** `{workflow: {report_path: …}}` as `{workflow_report_path: …}`, without empty values and tables of tables. */
function toVariables(tables: Fields): Fields {
  return Object.fromEntries(
    Object.entries(tables).flatMap(([table, keys]) =>
      isObject(keys)
        ? Object.entries(keys).flatMap(([key, value]) =>
            isUnset(value) || isObject(value) ? [] : [[`${table}_${key}`, value]],
          )
        : [],
    ),
  );
}
