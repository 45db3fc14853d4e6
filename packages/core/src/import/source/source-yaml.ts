/**
 * Parses the YAML of a source. Invalid YAML is repaired if the author's intent is clear (quotes escaped with a backslash, a
 * duplicate key, a colon in an unquoted value); each repair is reported. Hostile YAML (deep nesting, tags, many aliases, reserved
 * keys) is dropped.
 */
import { findReservedKey, RESERVED_KEY } from '@crewagent/protocol/reserved-key';
import { Document, isMap, parseDocument } from 'yaml';
import { parseFullYaml } from '../../workflow/full-yaml.ts';
import { parsePlainYaml } from '../../workflow/plain-yaml.ts';
import { MAX_FRONTMATTER_CHARS, splitFrontmatter } from '../../workflow/split-frontmatter.ts';
import type { ImportNotes } from './import-notes.ts';

export type Fields = Readonly<Record<string, unknown>>;

export interface SourceDocument {
  readonly fields: Fields;
  /** The frontmatter as valid YAML, including comments. */
  readonly yaml: string;
  /** Byte for byte. */
  readonly body: string;
  /** Number of lines before the body. */
  readonly bodyLine: number;
}

/** Frontmatter and body of a Markdown file. Unreadable frontmatter is dropped with a note. */
export function parseSourceDocument(text: string, file: string, notes: ImportNotes): SourceDocument {
  const split = splitFrontmatter(text);
  if (!split.ok) return { fields: {}, yaml: '', body: text.replace(/^\uFEFF/, ''), bodyLine: 0 };
  const { body } = split;
  const head = text.slice(0, text.length - body.length);
  const bodyLine = head.split('\n').length - 1;
  const parsed = parseSourceYaml(split.yaml, file, notes, 1);
  return { fields: parsed?.fields ?? {}, yaml: parsed?.yaml ?? '', body, bodyLine };
}

/** `lineOffset`: number of lines before the YAML. Undefined, with a note, if the YAML cannot be parsed. */
export function parseSourceYaml(
  text: string,
  file: string,
  notes: ImportNotes,
  lineOffset = 0,
): { fields: Fields; yaml: string } | undefined {
  if (text.trim() === '') return { fields: {}, yaml: '' };
  let yaml = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  let reason = 'it is longer than the limit';
  let line = 1;
  for (let attempt = 0; attempt < MAX_REPAIRS && yaml.length <= MAX_FRONTMATTER_CHARS; attempt++) {
    const plain = parsePlainYaml(yaml);
    const parsed = plain ? ({ ok: true, value: plain } as const) : parseFullYaml(yaml);
    if (parsed.ok && findReservedKey(parsed.value)) {
      reason = `the key ${RESERVED_KEY} is reserved`;
      break;
    }
    if (parsed.ok) return { fields: parsed.value, yaml };
    reason = parsed.reason;
    // The parser counts the opening fence of the frontmatter as line 1.
    line = Math.max(1, parsed.line - 1);
    const repaired = repair(yaml, line, reason);
    if (!repaired) break;
    yaml = repaired.yaml;
    notes.addRepair({ file, line: repaired.line + lineOffset }, repaired.message);
  }
  notes.add('yaml', 'dropped', { file, line: line + lineOffset }, `The YAML could not be parsed: ${reason}.`);
  return undefined;
}

const MAX_REPAIRS = 12;

interface Repair {
  readonly yaml: string;
  readonly line: number;
  readonly message: string;
}

function repair(yaml: string, line: number, reason: string): Repair | undefined {
  const lines = yaml.split('\n');
  const [, twice] = /^the key "(.+)" is used twice$/.exec(reason) ?? [];
  if (twice !== undefined) return removeSecond(lines, line, twice);
  // The error may show some lines after the quote that caused it.
  const escaped = lines.findIndex((text) => /^[^#]*:\s*'.*\\'/.test(text) || /^\s*-\s*'.*\\'/.test(text));
  if (escaped !== -1) {
    lines[escaped] = (lines[escaped] ?? '').replaceAll("\\'", "''");
    return done(lines, escaped + 1, "An escaped quote (\\') in single quotes became two quotes.");
  }
  const [, key, value] = /^(\s*(?:- )?[\w-]+: +)([^'"[{|>&*#\s].*: .*)$/.exec(lines[line - 1] ?? '') ?? [];
  if (key !== undefined && value !== undefined) {
    lines[line - 1] = `${key}${JSON.stringify(value.trimEnd())}`;
    return done(lines, line, 'A value with a colon was put in quotes.');
  }
  return undefined;
}

function removeSecond(lines: string[], line: number, key: string): Repair | undefined {
  const index = lines[line - 1]?.trimStart().startsWith(`${key}:`) ? line - 1 : -1;
  const next = lines[index + 1] ?? '';
  // A multi-line value is left to the author.
  if (index === -1 || /^\s/.test(next)) return undefined;
  lines.splice(index, 1, '');
  return done(lines, line, `The key "${key}" was written twice; the first one is used.`);
}

function done(lines: readonly string[], line: number, message: string): Repair {
  return { yaml: lines.join('\n'), line, message };
}

/** The frontmatter block of a document: the author's YAML, including comments, with `fields` set on top. */
export function toFrontmatterBlock(yaml: string, fields: Fields): string {
  const parsed = yaml.trim() === '' ? undefined : parseDocument(yaml, { version: '1.2', schema: 'core' });
  const document = parsed && isMap(parsed.contents) ? parsed : new Document({});
  for (const [key, value] of Object.entries(fields)) {
    if (value === undefined) document.delete(key);
    else document.set(key, document.createNode(value));
  }
  return `---\n${document.toString({ lineWidth: 0 })}---\n`;
}

export function textField(fields: Fields, key: string): string | undefined {
  const value = fields[key];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
