/**
 * Markdown frontmatter: where the YAML block ends, and what it says. Hostile text ends in a reason,
 * never in an exception, code execution or unbounded work. Knows no schema.
 */
import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml';
import { parsePlainYaml } from './plain-yaml.ts';

/** Far above any real step; it bounds the time the YAML parser can be kept busy. */
export const MAX_FRONTMATTER_CHARS = 65_536;

const MAX_ALIASES = 50;

export interface Frontmatter {
  readonly ok: true;
  readonly value: Record<string, unknown>;
  /** The text after the closing fence, byte for byte. */
  readonly body: string;
  /** The line of the markdown file where a field stands, or of its nearest ancestor that is there. */
  lineOf(path: readonly PropertyKey[]): number;
}

export interface FrontmatterFailure {
  readonly ok: false;
  readonly reason: string;
  readonly line: number;
}

/** Splits and parses. Fields named in `dateFields` that are bare YAML dates come out as ISO date-times. */
export function parseFrontmatter(
  text: string,
  dateFields: ReadonlySet<string> = new Set(),
): Frontmatter | FrontmatterFailure {
  const split = splitFrontmatter(text);
  if (!split.ok) return split;
  if (split.yaml.length > MAX_FRONTMATTER_CHARS)
    return failure(`the frontmatter is longer than ${MAX_FRONTMATTER_CHARS} characters`, 1);
  const plain = parsePlainYaml(split.yaml);
  if (plain) {
    const { yaml, body } = split;
    // Lines are asked for only when something is wrong; then the full parser may take its time.
    return {
      ok: true,
      value: plain,
      body,
      lineOf: (path) => lineIn(parseFully(yaml, body, dateFields), path),
    };
  }
  try {
    return parseFully(split.yaml, split.body, dateFields);
  } catch (error) {
    // The parser recurses, so text nested thousands deep overflows its stack; too many aliases throw.
    if (error instanceof RangeError) return failure('it is nested too deeply', 1);
    if (error instanceof ReferenceError)
      return failure(
        /unresolved/i.test(error.message)
          ? 'it uses an alias that nothing defines'
          : 'it expands too many aliases',
        1,
      );
    throw error;
  }
}

function lineIn(parsed: Frontmatter | FrontmatterFailure, path: readonly PropertyKey[]): number {
  return parsed.ok ? parsed.lineOf(path) : parsed.line;
}

function parseFully(
  yaml: string,
  body: string,
  dateFields: ReadonlySet<string>,
): Frontmatter | FrontmatterFailure {
  const lines = new LineCounter();
  const document = parseDocument(yaml, {
    version: '1.2',
    schema: 'core',
    // The library compares every key with every other; ours is linear.
    uniqueKeys: false,
    prettyErrors: false,
    lineCounter: lines,
    logLevel: 'silent',
  });
  const lineAt = (offset: number): number => lines.linePos(offset).line + 1;
  const error = document.errors[0];
  if (error) return failure(toReason(error.message), lineAt(error.pos[0]));
  if (!isMap(document.contents)) return failure('it is not a map of keys and values', 2);
  const repeated = repeatedKey(document.contents);
  if (repeated)
    return failure(`the key "${repeated.key.slice(0, 60)}" stands twice`, lineAt(repeated.offset));
  if (dateFields.size > 0) expandDates(document, dateFields);
  const value = document.toJS({ maxAliasCount: MAX_ALIASES }) as Record<string, unknown>;
  return {
    ok: true,
    value,
    body,
    lineOf: (path) => {
      for (let depth = path.length; depth > 0; depth--) {
        const node: unknown = document.getIn(path.slice(0, depth), true);
        if (hasRange(node)) return lineAt(node.range[0]);
      }
      return 1;
    },
  } satisfies Frontmatter;
}

/** The first key that stands twice in one map, anywhere. */
function repeatedKey(root: unknown): { key: string; offset: number } | undefined {
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const node = pending.pop();
    if (isSeq(node)) pending.push(...node.items.filter(isNode));
    if (!isMap(node)) continue;
    const seen = new Set<string>();
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : JSON.stringify(key);
      if (seen.has(name)) return { key: name, offset: hasRange(key) ? key.range[0] : 0 };
      seen.add(name);
      if (isNode(value)) pending.push(value);
    }
  }
  return undefined;
}

/** `updatedAt: 2026-01-31` is a date to other YAML readers; give it the form the schema wants. */
function expandDates(document: ReturnType<typeof parseDocument>, fields: ReadonlySet<string>): void {
  visit(document, {
    Pair(_, pair) {
      if (!isScalar(pair.key) || !isScalar(pair.value)) return;
      const { key, value } = pair;
      if (typeof key.value !== 'string' || !fields.has(key.value) || value.type !== 'PLAIN') return;
      if (typeof value.value !== 'string' || !YAML_DATE.test(value.value)) return;
      const date = new Date(/\d$/.test(value.value) ? asUtc(value.value) : value.value);
      if (!Number.isNaN(date.getTime())) value.value = date.toISOString();
    },
  });
}

const YAML_DATE = /^\d{4}-\d{2}-\d{2}(?:[Tt ]+\d{2}:\d{2}:\d{2}(?:\.\d+)?)?$/;

/** YAML reads a date without a zone as UTC. */
function asUtc(text: string): string {
  return text.length === 10 ? text : `${text.replace(/[Tt ]+/, 'T')}Z`;
}

type Split = { ok: true; yaml: string; body: string } | FrontmatterFailure;

/** An optional BOM, `---` alone on the first line, closed by `---` alone on a line. LF or CRLF. */
function splitFrontmatter(text: string): Split {
  const open = /^\uFEFF?---[ \t]*\r?\n/.exec(text);
  if (!open) return failure('the file does not begin with a line of three dashes', 1);
  const start = open[0].length;
  const close = /^---[ \t]*(?:\r?\n|$)/m;
  const rest = text.slice(start);
  const end = close.exec(rest);
  if (!end) return failure('the block opened by the first line is never closed by a line of three dashes', 1);
  return { ok: true, yaml: rest.slice(0, end.index), body: rest.slice(end.index + end[0].length) };
}

function failure(reason: string, line: number): FrontmatterFailure {
  return { ok: false, reason, line };
}

function hasRange(node: unknown): node is { range: [number, number, number] } {
  return typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range);
}

/** The library's sentence as the end of ours. */
function toReason(message: string): string {
  if (/call stack/i.test(message)) return 'it is nested too deeply';
  return message.charAt(0).toLowerCase() + message.slice(1).replace(/\.?\s*$/, '');
}
