/**
 * Converts schema issues to findings with a location, a message and a fix.
 */
import { FORMAT_VERSION, READABLE_FORMAT } from '@crewagent/protocol/format';
import type * as z from '@crewagent/protocol/zod';
import { type Findings, toPointer } from './findings.ts';
import { findSimilar } from './similar-name.ts';

type Issue = z.core.$ZodIssue;

export interface DocumentLocation {
  readonly file: string;
  /** The parsed document, to show the actual value. */
  readonly value: unknown;
  readonly schema?: z.core.$ZodType;
  /** Frontmatter only; lines of JSON documents are found when the findings are listed. */
  lineOf?(path: readonly PropertyKey[]): number;
}

export function addSchemaFindings(
  error: z.core.$ZodError,
  location: DocumentLocation,
  findings: Findings,
): void {
  for (const issue of error.issues.flatMap(toInnerIssues)) {
    if (findings.isFull) return;
    if (issue.path[0] === 'schemaVersion' && issue.path.length === 1) {
      addVersionFinding(valueAt(location.value, issue.path), location, findings);
      continue;
    }
    const { message, fix } = describeIssue(issue, location);
    const [key] = issue.code === 'unrecognized_keys' ? issue.keys : [];
    const path = key === undefined ? issue.path : [...issue.path, key];
    const { line } = locate(location, path);
    // The line of a JSON document is found by the pointer.
    const { pointer } = locate(location, location.lineOf ? issue.path : path);
    findings.add('SCHEMA', { file: location.file, pointer, line, message, fix });
  }
}

/** For a value of the right kind in one branch of a union: what is wrong inside of it. */
function toInnerIssues(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const fitting = issue.errors.filter((inner) => inner.every(({ path }) => path.length > 0));
  const [branch, ...others] = fitting;
  if (!branch || others.length > 0) return [issue];
  return branch.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

/** File, pointer and, if known, line of a field. */
export function locate(
  location: Pick<DocumentLocation, 'file' | 'lineOf'>,
  path: readonly PropertyKey[],
): { file: string; pointer?: string; line?: number } {
  return { file: location.file, pointer: toPointer(path), line: location.lineOf?.(path) };
}

/** Whether the value is a version of another format; false for anything that is not a version. */
export function isOtherFormat(version: unknown): version is string {
  return typeof version === 'string' && /^\d+\.\d+/.test(version) && !READABLE_FORMAT.test(version);
}

function addVersionFinding(version: unknown, location: DocumentLocation, findings: Findings): void {
  const where = locate(location, ['schemaVersion']);
  const spelled = typeof version === 'number' ? String(version) : version;
  if (isOtherFormat(spelled)) {
    findings.add('FORMAT_UNSUPPORTED', { ...where, ...unsupportedFormat(spelled) });
    return;
  }
  const isNumber = typeof version === 'number';
  const [found, expected] = isNumber ? [`the number ${version}`, 'the text '] : [show(version), ''];
  findings.add('SCHEMA', {
    ...where,
    message:
      version === undefined
        ? '"schemaVersion" is missing'
        : `"schemaVersion" is ${found}, expected ${expected}"${FORMAT_VERSION}"`,
    fix: `${isNumber ? 'Put it in quotes:' : 'Write'} schemaVersion: "${FORMAT_VERSION}".`,
  });
}

export function unsupportedFormat(version: string): { message: string; fix: string } {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isNewer = major > 1 || (major === 1 && minor > 2);
  return {
    message: `this was written for package format ${show(version).slice(1, -1)}; this runtime reads formats 1.1 and 1.2`,
    fix: isNewer
      ? 'Update CrewAgent, or ask the author for a package of format 1.1.'
      : 'Ask the author for a package of format 1.1.',
  };
}

export function describeIssue(issue: Issue, location: DocumentLocation): { message: string; fix: string } {
  const name = nameOf(issue.path);
  const found = valueAt(location.value, issue.path);
  const isMissing = found === undefined;
  const state = isMissing ? `${name} is missing` : `${name} is ${show(found)}`;
  switch (issue.code) {
    case 'invalid_type': {
      const expected = ARTICLES[issue.expected] ?? issue.expected;
      return {
        message: `${state}, expected ${expected}`,
        fix: isMissing
          ? `Add ${name} as ${expected}.`
          : `Make ${name} ${expected}${found === null ? '; in YAML, a value that begins with "#" needs quotes' : ''}.`,
      };
    }
    case 'unrecognized_keys': {
      const shown = issue.keys.slice(0, 5).map((key) => `"${clip(key)}"`);
      const keys = shown.join(', ') + (issue.keys.length > shown.length ? ', …' : '');
      const where = issue.path.length === 0 ? 'the document' : name;
      return {
        message: `${where} has ${issue.keys.length === 1 ? 'the unknown key' : 'the unknown keys'} ${keys}`,
        fix: suggestKeys(issue.keys, location.schema, issue.path) ?? REMOVE_KEY,
      };
    }
    case 'invalid_value':
      return {
        message: `${state}, expected one of ${issue.values.map(String).join(', ')}`,
        fix: isMissing ? `Add ${name}.` : 'Use one of these values.',
      };
    case 'too_small':
      return issue.origin === 'number' || issue.origin === 'int'
        ? { message: `${state}, expected at least ${issue.minimum}`, fix: 'Use a larger number.' }
        : {
            message: `${name} is empty`,
            fix: `Give ${name} at least one ${issue.origin === 'array' ? 'entry' : 'character'}.`,
          };
    case 'invalid_format':
      return { message: `${state}, which is not ${formatOf(issue)}`, fix: `Write ${formatOf(issue)}.` };
    case 'custom':
      return { message: `${state}, ${issue.message}`, fix: 'Write it in that form.' };
    case 'invalid_union':
      return {
        message: `${state}, expected a text or a list of texts, none of them empty`,
        fix: `Write ${name} as a text or as a list of texts.`,
      };
    default:
      return { message: `${name}: ${issue.message}`, fix: 'Correct the value.' };
  }
}

const REMOVE_KEY = 'Remove it, or correct its spelling; the format allows no other keys here.';

/** Suggests known keys that resemble the unknown ones. */
function suggestKeys(
  keys: readonly string[],
  schema: z.core.$ZodType | undefined,
  path: readonly PropertyKey[],
): string | undefined {
  const known = keysAt(schema, path);
  const matches = keys.slice(0, 5).map((key) => findSimilar(key, known));
  const found = [...new Set(matches)].filter((key) => key !== undefined);
  if (found.length === 0)
    return known.length === 0 ? undefined : `Remove it, or use one of the keys ${known.join(', ')}.`;
  return `Did you mean ${found.map((key) => `"${key}"`).join(', ')}? The format allows no other keys here.`;
}

/** Warns of keys in an open object that resemble a missing key of the format. */
export function checkKeySpelling(
  schema: z.core.$ZodType,
  location: DocumentLocation,
  path: readonly PropertyKey[],
  findings: Findings,
): void {
  const value = valueAt(location.value, path);
  if (typeof value !== 'object' || value === null) return;
  const absent = keysAt(schema, path).filter((key) => !Object.hasOwn(value, key));
  const known = new Set(keysAt(schema, path));
  for (const key of Object.keys(value)) {
    const similar = known.has(key) ? undefined : findSimilar(key, absent);
    if (similar === undefined) continue;
    findings.add('KEY_MISSPELT', {
      ...locate(location, [...path, key]),
      message: `the key "${clip(key)}" is unknown to the runtime`,
      fix: `Did you mean "${similar}"? Otherwise choose a less similar name.`,
    });
  }
}

/** The keys of the object at a path in a document. */
export function keysAt(schema: z.core.$ZodType | undefined, path: readonly PropertyKey[]): string[] {
  const def = (schema as z.core.$ZodTypes | undefined)?._zod.def;
  if (def?.type === 'optional' || def?.type === 'default' || def?.type === 'prefault')
    return keysAt(def.innerType, path);
  const [key, ...rest] = path;
  if (def?.type === 'array') return keysAt(def.element, rest);
  if (def?.type !== 'object') return [];
  return key === undefined ? Object.keys(def.shape) : keysAt(def.shape[String(key)], rest);
}

function formatOf(issue: Issue & { code: 'invalid_format' }): string {
  const last = issue.path.at(-1);
  if (last === 'version') return 'a version such as 1.0.0 or 1.0.0-beta.1';
  if (last === 'sha256') return 'a SHA-256 of 64 hexadecimal digits';
  return 'an id: a letter or digit first, then letters, digits, ".", "_", ":" and "-"';
}

function nameOf(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'the document';
  const keys = path.map((key, index) =>
    typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${clip(String(key))}`,
  );
  return `"${keys.join('')}"`;
}

const ARTICLES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = Object.hasOwn(current, key) ? (current as Record<PropertyKey, unknown>)[key] : undefined;
  }
  return current;
}

/** Formats a value in a few characters: hostile documents contain values of any size. */
function show(value: unknown): string {
  if (typeof value === 'string') return `"${clip(value)}"`;
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return clip(String(value));
}

export function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
