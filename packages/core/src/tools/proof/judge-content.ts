/**
 * Checks of one file's content. Long texts are judged in slices, so that no check holds up the process.
 */
import { setImmediate } from 'node:timers/promises';
import type { CheckKind, ProducedFile } from '@crewagent/protocol/proof';
import { readFrontmatter } from '../../workflow/frontmatter.ts';
import { decodeText } from '../files/text-file.ts';
import { isSameHeading, readHeadings } from './headings.ts';

export interface ContentResult {
  readonly kind: CheckKind;
  /** What is missing, as a predicate of the file; undefined if the check is met. */
  readonly issue: string | undefined;
}

const SLICE_CHARS = 262_144;
/** Parsing cannot be done in slices. */
const MAX_JSON_CHARS = 2 * 1_048_576;
const MAX_YAML_CHARS = 131_072;

export async function judgeContent(
  path: string,
  bytes: Buffer,
  wanted: ProducedFile,
): Promise<ContentResult[]> {
  const { headings, minWords, schema, columns, contains, notContains } = wanted;
  if (!(headings || minWords || schema || columns || contains || notContains)) return [];
  const text = decodeText(bytes)?.text;
  const results: ContentResult[] = [];
  const judge = async (
    kind: CheckKind,
    isWanted: boolean,
    findIssue: (text: string) => Promise<string | undefined>,
  ): Promise<void> => {
    if (!isWanted) return;
    results.push({ kind, issue: text === undefined ? 'is not a text file' : await findIssue(text) });
    await setImmediate();
  };
  await judge('headings', headings !== undefined, (found) => findMissingHeadings(found, headings ?? []));
  await judge('minWords', minWords !== undefined, (found) => findMissingWords(found, minWords ?? 0));
  await judge('schema', schema !== undefined, (found) => findSchemaIssue(path, found, schema));
  await judge('columns', columns !== undefined, async (found) => findMissingColumns(found, columns ?? []));
  await judge('contains', contains !== undefined, async (found) => {
    const missing = (contains ?? []).filter((part) => !found.includes(part));
    return missing.length > 0 ? `does not contain ${quoted(missing)}` : undefined;
  });
  await judge('notContains', notContains !== undefined, async (found) => {
    const left = (notContains ?? []).filter((part) => found.includes(part));
    return left.length > 0 ? `still contains ${quoted(left)}` : undefined;
  });
  return results;
}

async function findMissingHeadings(text: string, wanted: readonly string[]): Promise<string | undefined> {
  const missing = new Set(wanted);
  for (const slice of slicesOf(text)) {
    if (slice.start > 0) await setImmediate();
    const found = readHeadings(slice.text);
    for (const heading of missing)
      if (found.some((one) => isSameHeading(heading, one))) missing.delete(heading);
    if (missing.size === 0) return undefined;
  }
  return `lacks the heading${missing.size === 1 ? '' : 's'} ${quoted([...missing])}`;
}

/** A Chinese, Japanese or Korean character counts as a word. Stops as soon as there are enough. */
async function findMissingWords(text: string, minWords: number): Promise<string | undefined> {
  let words = 0;
  for (const slice of slicesOf(text)) {
    if (slice.start > 0) await setImmediate();
    for (const _ of slice.text.matchAll(WORD)) if (++words >= minWords) return undefined;
  }
  return `has ${words} word${words === 1 ? '' : 's'} and needs ${minWords}`;
}

const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}])[\p{L}\p{N}'’_-])+/gu;

/** Cut at line ends. */
function* slicesOf(text: string): Generator<{ readonly start: number; readonly text: string }> {
  for (let start = 0; start < text.length; ) {
    const limit = start + SLICE_CHARS;
    const newline = limit < text.length ? text.lastIndexOf('\n', limit) : -1;
    const end = limit >= text.length ? text.length : newline > start ? newline + 1 : limit;
    yield { start, text: text.slice(start, end) };
    start = end;
  }
}

async function findSchemaIssue(
  path: string,
  text: string,
  schema: ProducedFile['schema'],
): Promise<string | undefined> {
  const parsed = await parseData(path, text);
  if ('issue' in parsed) return parsed.issue;
  const { fromJSONSchema } = await import('zod');
  const checked = fromJSONSchema({ ...schema?.value }).safeParse(parsed.value);
  if (checked.success) return undefined;
  const issues = checked.error.issues.slice(0, MAX_ISSUES).map(({ path: keys, message }) => {
    const at = keys.map(String).join('.');
    return at === '' ? message : `${at}: ${message}`;
  });
  const more = checked.error.issues.length - issues.length;
  return `does not match ${schema?.path}: ${issues.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
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
  if (!isMarkdown && text.length > (isYaml ? MAX_YAML_CHARS : MAX_JSON_CHARS))
    return { issue: 'is too large to be checked against a schema' };
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
