/**
 * What is written, or may be written, at a position: a name of a node, an agent, a workflow, a variable, a tool or a file, one of a
 * few values, or a key of the frontmatter. Completion and "go to definition" use the same answer.
 */
import { getLocation } from 'jsonc-parser';
import { type NameKind, toFrontmatter } from './package-index.ts';

export type ReferenceKind = NameKind | 'tool' | 'key' | 'type' | 'file';

export interface Reference {
  readonly kind: ReferenceKind;
  /** Offsets of what is written so far. */
  readonly start: number;
  readonly end: number;
  /** Of a file: what its path is relative to. */
  readonly base?: 'package' | 'text';
}

export function findReference(file: string, text: string, offset: number): Reference | undefined {
  if (file.endsWith('.json')) return inJson(file, text, offset);
  if (!file.endsWith('.md')) return undefined;
  const { yaml, start } = toFrontmatter(text);
  return offset >= start && offset <= start + yaml.length && start > 0
    ? inFrontmatter(text, offset)
    : inProse(text, offset);
}

type Rule = readonly [path: readonly string[], kind: ReferenceKind];

const GRAPH_RULES: readonly Rule[] = [
  [['entryNodeId'], 'node'],
  [['edges', '*', 'from'], 'node'],
  [['edges', '*', 'to'], 'node'],
  [['nodes', '*', 'agentId'], 'agent'],
  [['nodes', '*', 'type'], 'type'],
  [['nodes', '*', 'file'], 'file'],
];

const AGENT_RULES: readonly Rule[] = [
  [['agents', '*', 'menu', '*', 'workflow'], 'workflow'],
  [['agents', '*', 'menu', '*', 'exec'], 'file'],
  [['agents', '*', 'menu', '*', 'data'], 'file'],
];

const MANIFEST_RULES: readonly Rule[] = [
  [['entry', '*'], 'file'],
  [['workflows', '*', 'workflow'], 'file'],
  [['workflows', '*', 'graph'], 'file'],
];

function inJson(file: string, text: string, offset: number): Reference | undefined {
  const rules =
    file === 'bmad.json' ? MANIFEST_RULES : file.endsWith('graph.json') ? GRAPH_RULES : AGENT_RULES;
  const location = getLocation(text, offset);
  const value = location.previousNode;
  if (location.isAtPropertyKey || value?.type !== 'string') return undefined;
  const kind = rules.find(
    ([path]) => location.path.length === path.length && location.matches([...path]),
  )?.[1];
  if (!kind) return undefined;
  const isClosed = text[value.offset + value.length - 1] === '"' && value.length > 1;
  return {
    kind,
    start: value.offset + 1,
    end: value.offset + value.length - (isClosed ? 1 : 0),
    ...(kind === 'file' ? { base: 'package' as const } : {}),
  };
}

const YAML_NAMES: Readonly<Record<string, ReferenceKind>> = {
  nodeId: 'node',
  currentNodeId: 'node',
  to: 'node',
  type: 'type',
  agentId: 'agent',
  activeAgentId: 'agent',
  subworkflow: 'workflow',
  setsVariables: 'variable',
  returns: 'variable',
  // Of `headings` and of a produced file.
  from: 'file',
  schema: 'file',
};

function inFrontmatter(text: string, offset: number): Reference | undefined {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const before = text.slice(lineStart, offset);
  const [key] = /^[\w-]*$/.exec(before) ?? [];
  if (key !== undefined) return { kind: 'key', ...expand(text, offset, /[\w-]/) };
  const own = /([\w-]+):[^:]*$/.exec(before)?.[1];
  const kind = YAML_NAMES[own ?? parentKey(text, lineStart, before) ?? ''];
  if (!kind) return undefined;
  const range = expand(text, offset, kind === 'file' || kind === 'workflow' ? /[\w./-]/ : /[\w-]/);
  return { kind, ...range, ...(kind === 'file' ? { base: 'package' as const } : {}) };
}

/** The key whose list the line is an item of. */
function parentKey(text: string, lineStart: number, before: string): string | undefined {
  const indent = /^\s*(?=-)/.exec(before)?.[0].length;
  if (indent === undefined) return undefined;
  const above = text.slice(0, lineStart).split(/\r?\n/).reverse();
  return above
    .map((line) => /^(\s*)([\w-]+):\s*$/.exec(line))
    .find((match) => match && (match[1]?.length ?? 0) <= indent)?.[2];
}

/** What ends at the cursor, with the characters of the name. */
const PROSE: readonly (readonly [RegExp, ReferenceKind, RegExp])[] = [
  [/\{\{?\s*[\w-]*$/, 'variable', /[\w-]/],
  [/"(?:next|nodeId|to)"\s*:\s*"[\w-]*$/, 'node', /[\w-]/],
  [/(?:@pkg\/|\]\(|`[\w-]+\/)[\w./-]*$/, 'file', /[\w./-]/],
  [/(?:^|[\s`(])(?:fs|ui|runtime)\.\w*$/, 'tool', /[\w.]/],
];

function inProse(text: string, offset: number): Reference | undefined {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  for (const [pattern, kind, character] of PROSE) {
    const { start, end } = expand(text, offset, character);
    // Also to the end of the name, so that a cursor at its beginning finds it.
    if (![offset, end].some((to) => pattern.test(text.slice(lineStart, to)))) continue;
    if (kind !== 'file') return { kind, start, end };
    // `@` is no character of a path, so the mount is `pkg/` here.
    const isMounted = text.startsWith('@pkg/', start - 1);
    return isMounted
      ? { kind, start: start + 'pkg/'.length, end, base: 'package' }
      : { kind, start, end, base: 'text' };
  }
  return undefined;
}

function expand(text: string, offset: number, character: RegExp): { start: number; end: number } {
  let [start, end] = [offset, offset];
  while (start > 0 && character.test(text[start - 1] ?? '')) start--;
  while (end < text.length && character.test(text[end] ?? '')) end++;
  return { start, end };
}
