/**
 * Reads one file of a package as a validated value: bytes → text → JSON or frontmatter → schema. Problems become findings; the
 * result is undefined if nothing could be read.
 */

import { isObject } from '@crewagent/protocol/json-object';
import { MAX_NESTING } from '@crewagent/protocol/json-text';
import { RESERVED_KEY } from '@crewagent/protocol/reserved-key';
import type * as z from '@crewagent/protocol/zod';
import { parseUtf8 } from '../../base/utf8.ts';
import { type LocatedFrontmatter, parseFrontmatter } from '../../workflow/full-frontmatter.ts';
import type { FrontmatterOptions } from '../../workflow/split-frontmatter.ts';
import { DamagedFile, type PackageFiles } from '../archive/package-files.ts';
import type { Findings } from '../findings/findings.ts';
import { addSchemaFindings, locate } from '../findings/schema-findings.ts';

/** Ten times the largest real package; each value may become a finding. */
const MAX_VALUES = 100_000;

export async function readJson(
  files: PackageFiles,
  file: string,
  findings: Findings,
): Promise<{ value: unknown } | undefined> {
  const text = await readText(files, file, findings);
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = (error as SyntaxError).message;
    findings.add('BAD_JSON', {
      file,
      line: lineOfJsonError(text, reason),
      message: `this is not valid JSON: ${reason.replace(/ in JSON at position.*| is not valid JSON$/s, '').slice(0, 120)}`,
      fix: 'Correct the JSON at this line; a missing comma, quote or bracket is the usual cause.',
    });
    return undefined;
  }
  findings.addDocument(file, text);
  return checkShape(value, { file }, findings) ? { value } : undefined;
}

/**
 * The parsed document. If the schema rejects it, adds findings and returns what is readable: unreadable texts are blank,
 * unreadable lists empty. Later checks skip blanks, which are already reported.
 */
export function checkSchema<S extends z.ZodMiniType>(
  schema: S,
  document: { file: string; value: unknown; lineOf?(path: readonly PropertyKey[]): number },
  findings: Findings,
): z.output<S> {
  const parsed = schema.safeParse(document.value);
  if (parsed.success) return parsed.data;
  addSchemaFindings(parsed.error, { ...document, schema }, findings);
  return parseLeniently(schema, document.value);
}

const FRONTMATTER_FIXES = {
  absent: 'Begin the file with a line "---", then YAML keys, then a line "---".',
  'too-long': 'Keep it short; move long content below the second line "---", or into separate files.',
  'too-slow': 'Correct the YAML that is reported above first, and write keys and values in plain style.',
  unreadable: 'Correct the YAML at this line; keys and values in plain style are always fine.',
  'not-a-map': 'Write keys and values between the two lines "---".',
} as const;

export function toFrontmatter(
  text: string,
  file: string,
  options: FrontmatterOptions,
  findings: Findings,
): LocatedFrontmatter | undefined {
  const frontmatter = parseFrontmatter(text, options);
  if (!frontmatter.ok) {
    findings.add('BAD_FRONTMATTER', {
      file,
      line: frontmatter.line,
      message: `the frontmatter cannot be read: ${frontmatter.reason}`,
      fix: FRONTMATTER_FIXES[frontmatter.kind],
    });
    return undefined;
  }
  const { value, lineOf } = frontmatter;
  return checkShape(value, { file, lineOf }, findings) ? frontmatter : undefined;
}

export async function readText(
  files: PackageFiles,
  file: string,
  findings: Findings,
): Promise<string | undefined> {
  return toText(await readBytes(files, file), file, findings);
}

/** The bytes of a file; a damaged file is returned as a value, so that it is reported in order. */
export async function readBytes(files: PackageFiles, file: string): Promise<Buffer | DamagedFile> {
  try {
    return await files.read(file);
  } catch (error) {
    if (error instanceof DamagedFile) return error;
    throw error;
  }
}

/** The text of a file; undefined, with a finding, if it is damaged or not UTF-8. */
export function toText(bytes: Buffer | DamagedFile, file: string, findings: Findings): string | undefined {
  if (bytes instanceof DamagedFile) {
    addDamaged(bytes, file, findings);
    return undefined;
  }
  const text = parseUtf8(bytes);
  if (text === undefined)
    findings.add('NOT_UTF8', { file, message: 'this is not UTF-8 text', fix: 'Save the file as UTF-8.' });
  return text;
}

export function addDamaged(damage: DamagedFile, file: string, findings: Findings): void {
  findings.add('ARCHIVE_DAMAGED', {
    file,
    message: damage.message,
    fix: 'Check that the file is readable, or download the package again.',
  });
}

/** Rejects `__proto__` keys, too many values, and deep nesting, which later code does not expect. */
function checkShape(
  root: unknown,
  location: { file: string; lineOf?(path: readonly PropertyKey[]): number },
  findings: Findings,
): boolean {
  let values = 0;
  const path: PropertyKey[] = [];
  const visit = (value: unknown): string | undefined => {
    if (++values > MAX_VALUES) return `it has more than ${MAX_VALUES} values`;
    if (typeof value !== 'object' || value === null) return undefined;
    if (path.length > MAX_NESTING) return `values are nested more than ${MAX_NESTING} levels deep`;
    if (Object.hasOwn(value, RESERVED_KEY)) return `a key is named "${RESERVED_KEY}"`;
    const keys = Array.isArray(value) ? value.keys() : Object.keys(value);
    for (const key of keys) {
      path.push(key);
      const problem = visit((value as Record<PropertyKey, unknown>)[key]);
      if (problem) return problem;
      path.pop();
    }
    return undefined;
  };
  const problem = visit(root);
  if (!problem) return true;
  findings.add('UNSAFE_VALUE', {
    ...locate(location, path.slice(0, 8)),
    message: problem,
    fix: 'Simplify the document.',
  });
  return false;
}

/** V8 gives a position for some errors and an excerpt for others. */
function lineOfJsonError(text: string, reason: string): number {
  const end = positionOfJsonError(text, reason);
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

function positionOfJsonError(text: string, reason: string): number {
  const position = /at position (\d+)/.exec(reason)?.[1];
  if (position !== undefined) return Number(position);
  const [, token = '', shown = ''] =
    /^Unexpected token '(.+?)', (?:\.\.\.)?"(.*?)"(?:\.\.\.)? is not valid JSON$/s.exec(reason) ?? [];
  const start = shown === '' ? -1 : text.indexOf(shown);
  if (start === -1) return text.trimEnd().length;
  // The excerpt has ten characters before the token, unless the document begins sooner.
  return text.indexOf(token, reason.includes('..."') ? start + 10 : start);
}

/**
 * Parses what is readable of a document that its schema rejects, so that validation can continue and report everything at once.
 * Lists keep their length, so that JSON pointers stay valid; a value of the wrong type becomes blank.
 */
export function parseLeniently<S extends z.ZodMiniType>(schema: S, value: unknown): z.output<S> {
  return read(schema, value) as z.output<S>;
}

type Schema = z.core.$ZodType;

function read(schema: Schema, value: unknown): unknown {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return readObject(def, value);
    case 'array':
      return Array.isArray(value) ? value.map((item) => read(def.element, item)) : [];
    case 'record':
      return isObject(value) ? value : {};
    case 'string':
      return typeof value === 'string' ? value : '';
    case 'boolean':
      return value === true;
    case 'enum':
      return Object.values(def.entries).find((entry) => entry === value) ?? Object.values(def.entries)[0];
    case 'optional':
      return hasKind(def.innerType, value) ? read(def.innerType, value) : undefined;
    case 'default':
      return hasKind(def.innerType, value) ? read(def.innerType, value) : def.defaultValue;
    default:
      return value;
  }
}

function readObject({ shape, catchall }: z.core.$ZodObjectDef, value: unknown): unknown {
  const fields = isObject(value) ? value : {};
  const known = Object.entries(shape).map(([key, schema]) => [key, read(schema, fields[key])]);
  const isLoose = catchall?._zod.def.type === 'unknown';
  return { ...(isLoose ? fields : {}), ...Object.fromEntries(known) };
}

/** Whether an optional value has the type the schema expects. */
function hasKind(schema: Schema, value: unknown): boolean {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
    case 'record':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'string':
    case 'boolean':
    case 'number':
      return typeof value === def.type;
    default:
      return value !== undefined;
  }
}
