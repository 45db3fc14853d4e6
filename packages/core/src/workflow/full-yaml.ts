/**
 * Parses YAML with the full parser and rejects hostile input: deep nesting (the parser is recursive, and a stack
 * overflow can crash the process), tags, duplicate keys, too many aliases.
 */
import { isDateTime } from '@crewagent/protocol/format';
import { MAX_NESTING } from '@crewagent/protocol/json-text';
import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
} from 'yaml';

export interface YamlMap {
  readonly ok: true;
  readonly value: Record<string, unknown>;
  /** Line in the markdown file; line 1 is the opening fence. */
  lineOf(path: readonly PropertyKey[]): number;
}

export interface YamlFailure {
  readonly ok: false;
  readonly kind: 'unreadable' | 'not-a-map';
  readonly reason: string;
  readonly line: number;
}

const MAX_ALIASES = 50;

export function parseFullYaml(yaml: string, expandDates = false): YamlMap | YamlFailure {
  const deep = findTooDeepLine(yaml);
  if (deep !== undefined) return failure(`it is nested deeper than ${MAX_NESTING} levels`, deep);
  const lines = new LineCounter();
  const lineAt = (offset: number): number => lines.linePos(offset).line + 1;
  const document = parseWithoutStacks(yaml, lines);
  const [error] = document.errors;
  if (error) return failure(toReason(error.message), lineAt(error.pos[0]));
  if (!isMap(document.contents)) {
    return { ok: false, kind: 'not-a-map', reason: 'it is not a map of keys and values', line: 2 };
  }
  const unsupported = findUnsupported(document.contents);
  if (unsupported) return failure(unsupported.reason, lineAt(unsupported.offset));
  if (expandDates) expandKnownDates(document);
  let value: Record<string, unknown>;
  try {
    value = document.toJS({ maxAliasCount: MAX_ALIASES }) as Record<string, unknown>;
  } catch (thrown) {
    if (!(thrown instanceof ReferenceError)) throw thrown;
    const isUnknown = /unresolved/i.test(thrown.message);
    return failure(isUnknown ? 'it uses an undefined alias' : 'it expands too many aliases', 1);
  }
  return {
    ok: true,
    value,
    lineOf: (path) => {
      for (let depth = path.length; depth > 0; depth--) {
        const node: unknown = document.getIn(path.slice(0, depth), true);
        if (hasRange(node)) return lineAt(node.range[0]);
      }
      return 1;
    },
  };
}

/** The parser creates an error for each issue, tens of thousands in hostile input; recording their stacks takes most of its time. */
function parseWithoutStacks(yaml: string, lineCounter: LineCounter): Document.Parsed {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return parseDocument(yaml, {
      version: '1.2',
      schema: 'core',
      // The library's check for duplicate keys is quadratic; `findUnsupported` is linear.
      uniqueKeys: false,
      prettyErrors: false,
      lineCounter,
      logLevel: 'silent',
    });
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Line at which brackets, list markers or indentation nest too deep; overcounts, because quotes are not considered. */
function findTooDeepLine(yaml: string): number | undefined {
  const indents: number[] = [];
  let brackets = 0;
  for (const [index, line] of yaml.split('\n').entries()) {
    const content = line.trimStart();
    if (content === '' || content.startsWith('#')) continue;
    const indent = line.length - content.length;
    while ((indents.at(-1) ?? -1) >= indent) indents.pop();
    indents.push(indent);
    for (let at = 0; at < content.length; at++) {
      const character = content[at];
      if (character === '[' || character === '{') brackets++;
      else if (character === ']' || character === '}') brackets = Math.max(0, brackets - 1);
      if (brackets > MAX_NESTING) return index + 2;
    }
    const markers = content.match(/[-?:](?=[ \t]|$)/g)?.length ?? 0;
    if (indents.length > MAX_NESTING || (markers > MAX_NESTING && /(?:[-?:][ \t]+){16}/.test(content)))
      return index + 2;
  }
  return undefined;
}

interface Unsupported {
  readonly reason: string;
  readonly offset: number;
}

/** The first duplicate key or tag at any depth, or too many aliases. */
function findUnsupported(root: unknown): Unsupported | undefined {
  const pending: unknown[] = [root];
  let aliases = 0;
  while (pending.length > 0) {
    const node = pending.pop();
    if (!isNode(node)) continue;
    if (isAlias(node)) {
      if (++aliases > MAX_ALIASES) return { reason: 'it uses too many aliases', offset: offsetOf(node) };
      continue;
    }
    if (node.tag !== undefined)
      return { reason: 'it uses a tag, which is not supported', offset: offsetOf(node) };
    if (isSeq(node)) for (const item of node.items) pending.push(item);
    if (!isMap(node)) continue;
    const seen = new Set<string>();
    for (const { key, value } of node.items) {
      if (isCollection(key)) return { reason: 'a key is not a string', offset: offsetOf(key) };
      const name = isScalar(key) ? String(key.value) : String(key);
      if (seen.has(name))
        return { reason: `the key "${name.slice(0, 60)}" is used twice`, offset: offsetOf(key) };
      seen.add(name);
      pending.push(value);
    }
  }
  return undefined;
}

/** Other YAML readers treat `updatedAt: 2026-01-31` as a date; converts it to the date-time that the schema expects. */
function expandKnownDates(document: Document): void {
  const log: unknown = document.get('decisionLog', true);
  const entries = isSeq(log) ? log.items : [];
  const nodes = [
    document.get('updatedAt', true),
    ...entries.map((entry) => (isMap(entry) ? entry.get('decidedAt', true) : null)),
  ];
  for (const node of nodes) {
    if (!isScalar(node) || node.type !== 'PLAIN' || typeof node.value !== 'string') continue;
    const match = /^(\d{4}-\d{2}-\d{2})(?:[Tt ]+(\d{2}:\d{2}:\d{2}(?:\.\d+)?))?$/.exec(node.value);
    // YAML treats a date without a zone as UTC.
    const text = match && `${match[1]}T${match[2] ?? '00:00:00'}Z`;
    if (!text || !isDateTime(text)) continue;
    // A leap second is a valid date-time, but not a valid Date.
    const date = new Date(text);
    node.value = Number.isNaN(date.getTime()) ? text : date.toISOString();
  }
}

function failure(reason: string, line: number): YamlFailure {
  return { ok: false, kind: 'unreadable', reason, line };
}

/** The library's message as the end of a sentence. */
function toReason(message: string): string {
  if (message.startsWith('Nested mappings are not allowed'))
    return 'a text with a colon and a space in it needs quotes';
  return message.charAt(0).toLowerCase() + message.slice(1).replace(/\.?\s*$/, '');
}

function offsetOf(node: unknown): number {
  return hasRange(node) ? node.range[0] : 0;
}

function hasRange(node: unknown): node is { range: [number, number, number] } {
  return typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range);
}
