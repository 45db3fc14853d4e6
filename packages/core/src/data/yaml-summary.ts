/**
 * Summarises YAML with the parsers used for packages, if that is fast and safe; a longer text is summarised by its
 * unindented keys or items only. Pure.
 */
import { parseFullYaml } from '../workflow/full-yaml.ts';
import { parsePlainYaml } from '../workflow/plain-yaml.ts';
import { MAX_FRONTMATTER_CHARS } from '../workflow/split-frontmatter.ts';
import type { DataSummary, DataText } from './data-summary.ts';
import { summarized } from './data-summary.ts';
import { describeShape, toShape, type ValueShape } from './value-shape.ts';

export function summariseYaml({ text, isWhole }: DataText): DataSummary {
  if (!isWhole) return summarized(describeShape(outlineYaml(text), false));
  const plain = parsePlainYaml(text);
  if (plain) return summarized(describeShape(toShape(plain), true));
  if (text.length > MAX_FRONTMATTER_CHARS) {
    const note = 'it is too long to be parsed; its shape is estimated from unindented lines';
    return { kind: 'summary', summary: describeShape(outlineYaml(text), false), note };
  }
  return summariseDocuments(splitDocuments(text));
}

interface YamlDocument {
  readonly text: string;
  readonly startLine: number;
}

/** An unindented `---` always begins a document. */
function splitDocuments(text: string): YamlDocument[] {
  const documents: YamlDocument[] = [];
  let lines: string[] = [];
  let startLine = 1;
  const all = text.split('\n');
  for (const [index, line] of all.entries()) {
    if (!/^(?:---|\.\.\.)(?=\s|$)/.test(line)) {
      lines.push(line);
      continue;
    }
    documents.push({ text: lines.join('\n'), startLine });
    // A value may follow the dashes.
    lines = line.startsWith('---') ? [line.slice(3)] : [];
    startLine = line.startsWith('---') ? index + 1 : index + 2;
  }
  documents.push({ text: lines.join('\n'), startLine });
  const filled = documents.filter((document) => /^[^\S\n]*[^\s#%]/m.test(document.text));
  return filled.length > 0 ? filled : documents.slice(0, 1);
}

function summariseDocuments(documents: readonly YamlDocument[]): DataSummary {
  const shapes: ValueShape[] = [];
  for (const document of documents) {
    const parsed = parseValue(document.text);
    if ('reason' in parsed) {
      const { reason, line } = parsed;
      return { kind: 'broken', reason, location: { line: document.startLine + line - 1 } };
    }
    shapes.push(toShape(parsed.value));
  }
  const [first = { kind: 'null' } as const] = shapes;
  const shape = describeShape(first, true);
  return summarized(shapes.length > 1 ? `${shapes.length} documents; the first is ${shape}` : shape);
}

type ParsedYaml = { readonly value: unknown } | { readonly reason: string; readonly line: number };

/** Wraps a value that is not a map, because the frontmatter parser accepts maps only. */
function parseValue(text: string): ParsedYaml {
  const map = parseFullYaml(text);
  if (map.ok) return { value: map.value };
  if (map.kind === 'unreadable') return { reason: map.reason, line: lineIn(text, map.line - FENCE_LINES) };
  const wrapped = parseFullYaml(`${WRAP}:\n${text.replace(/^(?=.)/gm, ' ')}`);
  if (wrapped.ok) return { value: wrapped.value[WRAP] };
  return { reason: wrapped.reason, line: lineIn(text, wrapped.line - FENCE_LINES - 1) };
}

const WRAP = 'value';
/** The frontmatter parser counts the fence above the text. */
const FENCE_LINES = 1;

function lineIn(text: string, line: number): number {
  return Math.min(Math.max(line, 1), text.trimEnd().split('\n').length);
}

const LEFT_KEY = /^(?:"([^"\\]*)"|'([^']*)'|([^\s#&*!|>%@`"'{}[\],?:-][^:#]*?))[ \t]*:(?=\s|$)/;

function outlineYaml(text: string): ValueShape {
  const keys = new Set<string>();
  let items = 0;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    if (/^-(?:\s|$)/.test(text.slice(start, start + 2))) items++;
    const [, ...names] = LEFT_KEY.exec(text.slice(start, Math.min(end, start + MAX_KEY_CHARS))) ?? [];
    const name = names.find((found) => found !== undefined);
    if (name !== undefined) keys.add(name);
    start = end + 1;
  }
  if (items > 0 && keys.size === 0) return { kind: 'array', items, first: undefined };
  return keys.size > 0 ? { kind: 'object', keys: [...keys] } : { kind: 'text' };
}

const MAX_KEY_CHARS = 200;
