/** Checks of one file's content. Costs as much as the file is large: `judge-node` decides where it runs. */
import type { CheckKind, ProducedFile } from '@crewagent/protocol/proof';
import { findHeadings, toPlainHeading } from '../../base/markdown-headings.ts';
import { readFrontmatter } from '../../workflow/frontmatter.ts';
import { decodeText } from '../files/text-file.ts';

export interface ContentResult {
  readonly kind: CheckKind;
  /** What is missing, as a predicate of the file; undefined if the check is met. */
  readonly issue: string | undefined;
}

export interface ContentJob {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly wanted: ProducedFile;
}

/** The parser needs many times the memory of the text. */
const MAX_YAML_CHARS = 2 * 1_048_576;

export async function judgeContent(
  path: string,
  bytes: Buffer,
  wanted: ProducedFile,
): Promise<ContentResult[]> {
  const text = decodeText(bytes)?.text;
  const results: ContentResult[] = [];
  for (const [kind, findIssue] of toChecks(path, wanted))
    results.push({ kind, issue: text === undefined ? 'is not a text file' : await findIssue(text) });
  return results;
}

type FindIssue = (text: string) => string | undefined | Promise<string | undefined>;

/** The content checks of a produced file; empty if it only has to exist or to change. */
export function toChecks(path: string, wanted: ProducedFile): [CheckKind, FindIssue][] {
  const { headings, minWords, schema, columns, contains, notContains } = wanted;
  const checks: [CheckKind, FindIssue][] = [];
  if (headings) checks.push(['headings', (text) => findMissingHeadings(text, headings)]);
  if (minWords) checks.push(['minWords', (text) => findMissingWords(text, minWords)]);
  if (schema) checks.push(['schema', (text) => findSchemaIssue(path, text, schema)]);
  if (columns) checks.push(['columns', (text) => findMissingColumns(text, columns)]);
  if (contains) checks.push(['contains', (text) => findMissingTexts(text, contains)]);
  if (notContains) checks.push(['notContains', (text) => findLeftovers(text, notContains)]);
  return checks;
}

function findMissingHeadings(text: string, wanted: readonly string[]): string | undefined {
  const found = readHeadings(text);
  const missing = wanted.filter((heading) => !found.some((one) => isSameHeading(heading, one)));
  if (missing.length === 0) return undefined;
  return `lacks the heading${missing.length === 1 ? '' : 's'} ${quoted(missing)}`;
}

/** A Chinese, Japanese or Korean character counts as a word. Stops as soon as there are enough. */
function findMissingWords(text: string, minWords: number): string | undefined {
  let words = 0;
  for (const _ of text.matchAll(toWords())) if (++words >= minWords) return undefined;
  return `has ${words} word${words === 1 ? '' : 's'} and needs ${minWords}`;
}

/** Made where it is used: V8 takes a millisecond to parse the names of scripts, and few runs count words. */
const toWords = (): RegExp =>
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}])[\p{L}\p{N}'’_-])+/gu;

function findMissingTexts(text: string, wanted: readonly string[]): string | undefined {
  const missing = wanted.filter((part) => !text.includes(part));
  return missing.length > 0 ? `does not contain ${quoted(missing)}` : undefined;
}

function findLeftovers(text: string, unwanted: readonly string[]): string | undefined {
  const left = unwanted.filter((part) => text.includes(part));
  return left.length > 0 ? `still contains ${quoted(left)}` : undefined;
}

async function findSchemaIssue(
  path: string,
  text: string,
  schema: NonNullable<ProducedFile['schema']>,
): Promise<string | undefined> {
  const parsed = await parseData(path, text);
  if ('issue' in parsed) return parsed.issue;
  const { fromJSONSchema } = await import('zod');
  const checked = fromJSONSchema({ ...schema.value }).safeParse(parsed.value);
  if (checked.success) return undefined;
  const issues = checked.error.issues.slice(0, MAX_ISSUES).map(({ path: keys, message }) => {
    const at = keys.map(String).join('.');
    return at === '' ? message : `${at}: ${message}`;
  });
  const more = checked.error.issues.length - issues.length;
  return `does not match ${schema.path}: ${issues.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

const MAX_ISSUES = 5;

async function parseData(
  path: string,
  text: string,
): Promise<{ readonly value: unknown } | { readonly issue: string }> {
  const kind = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase();
  const isJson = kind === 'json';
  const isYaml = kind === 'yaml' || kind === 'yml';
  const isMarkdown = kind === 'md' || kind === 'markdown';
  if (!isJson && !isYaml && !isMarkdown) return { issue: 'is neither JSON nor YAML nor Markdown' };
  if (isYaml && text.length > MAX_YAML_CHARS) return { issue: 'is too large to be checked against a schema' };
  try {
    if (isJson) return { value: JSON.parse(text) as unknown };
    if (isYaml) return { value: (await import('yaml')).parse(text, { logLevel: 'silent' }) as unknown };
    const read = await readFrontmatter(text);
    return read.ok ? { value: read.value } : { issue: 'has no readable frontmatter' };
  } catch (error) {
    const reason = (error as Error).message.replace(/\s+/g, ' ').slice(0, 120);
    return { issue: `is not valid ${isJson ? 'JSON' : 'YAML'}: ${reason}` };
  }
}

function findMissingColumns(text: string, columns: readonly string[]): string | undefined {
  const newline = text.search(/\r?\n/);
  const header = (newline < 0 ? text : text.slice(0, newline)).slice(0, 65_536);
  const cells = [...header.matchAll(/(?:^|[,;\t])(?:"((?:[^"]|"")*)"|([^,;\t]*))/g)].map(
    ([, quotedCell, plain = '']) => (quotedCell?.replaceAll('""', '"') ?? plain).trim().toLowerCase(),
  );
  const missing = columns.filter((column) => !cells.includes(column.trim().toLowerCase()));
  return missing.length > 0
    ? `lacks the column${missing.length === 1 ? '' : 's'} ${quoted(missing)}`
    : undefined;
}

function quoted(texts: readonly string[]): string {
  const shown = texts.slice(0, MAX_QUOTED).map((text) => `"${text.slice(0, 80)}"`);
  return shown.join(', ') + (texts.length > shown.length ? ` and ${texts.length - shown.length} more` : '');
}

const MAX_QUOTED = 12;

/** In order, outside of code blocks and frontmatter. */
export function readHeadings(text: string): string[] {
  return findHeadings(text).map((heading) => heading.text);
}

const PLACEHOLDER = /\{\{[^{}]*\}\}|\{[^{}]*\}|\[[a-z_ -]+\]/gi;

/** Compares without case, emphasis and repeated spaces. A `{{placeholder}}` of a template stands for any text. */
export function isSameHeading(wanted: string, found: string): boolean {
  const parts = wanted.split(PLACEHOLDER).map(toPlainHeading);
  const text = toPlainHeading(found);
  if (parts.length === 1) return text === parts[0];
  const [first = '', ...rest] = parts;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const [index, part] of rest.entries()) {
    const next = index === rest.length - 1 ? text.length - part.length : text.indexOf(part, at);
    if (next < at || !text.startsWith(part, next)) return false;
    at = next + part.length;
  }
  return true;
}
