/**
 * Reads back the shells in which a model is told where a run is (RUN_DIRECTIVE, NODE_BRIEF, STEP_FILE, USER_INPUT). Pure.
 * What stands in a step file or in a person's words does not pass for the runtime's: see K2 in docs/spec/rehearsal.md.
 */
import { isRecord, type JsonRecord } from '../foreign-json.ts';

export type Shell =
  | { readonly kind: 'directive' }
  | { readonly kind: 'brief'; readonly brief: NodeBrief }
  | { readonly kind: 'step'; readonly path: string; readonly text: string }
  | { readonly kind: 'input'; readonly forNodeId: string | undefined; readonly text: string };

export interface NodeBrief {
  readonly nodeId: string;
  readonly title: string;
  readonly type: string;
  readonly stepFile: string;
  readonly stepsCompleted: readonly string[];
  /** Undefined where they are too many to be told. */
  readonly variables: JsonRecord | undefined;
  /** Mount paths; braces stay where a variable is not set. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly ways: readonly Way[];
}

/** An edge that leads on. */
export interface Way {
  readonly to: string;
  readonly label: string;
  readonly isDefault: boolean;
  /** Its condition is true; one that is false or unknown says as little as none. */
  readonly isMet: boolean;
}

/** The shells of one user message, in order. Other text is passed over. */
export function parseShells(text: string): Shell[] {
  const lines = text.split('\n');
  const shells: Shell[] = [];
  for (let at = 0; at < lines.length; ) {
    const isStart = at === 0 || lines[at - 1] === '';
    const found = isStart ? readShell(lines, at, shells.at(-1)) : undefined;
    if (found) shells.push(found.shell);
    at = found?.end ?? at + 1;
  }
  return shells;
}

interface Found {
  readonly shell: Shell;
  /** The first line after it. */
  readonly end: number;
}

function readShell(lines: readonly string[], at: number, previous: Shell | undefined): Found | undefined {
  const head = lines[at] ?? '';
  if (isDirective(lines, at)) return { shell: { kind: 'directive' }, end: blockEnd(lines, at) };
  if (head === 'NODE_BRIEF' && lines[at + 1]?.startsWith('- currentNodeId: ')) {
    const end = blockEnd(lines, at);
    return { shell: { kind: 'brief', brief: toBrief(lines.slice(at + 1, end)) }, end };
  }
  if (previous?.kind === 'brief' && head === `STEP_FILE ${previous.brief.stepFile}`) {
    const close = lines.lastIndexOf('END_STEP_FILE');
    const end = close > at ? close : lines.length;
    const text = lines.slice(at + 1, end).join('\n');
    return { shell: { kind: 'step', path: previous.brief.stepFile, text }, end: end + 1 };
  }
  return head === 'USER_INPUT' ? readInput(lines, at) : undefined;
}

function isDirective(lines: readonly string[], at: number): boolean {
  return lines[at] === 'RUN_DIRECTIVE' && lines[at + 1]?.startsWith('- runType: ') === true;
}

const FOR_NODE = '- forNodeId: ';

function readInput(lines: readonly string[], at: number): Found {
  const bound = lines[at + 1]?.startsWith(FOR_NODE) ? lines[at + 1] : undefined;
  const start = bound === undefined ? at + 1 : at + 2;
  const isNext = (line: number): boolean =>
    isDirective(lines, line) ||
    (lines[line] === 'USER_INPUT' && lines[line + 1]?.startsWith(FOR_NODE) === true) ||
    (lines[line] === 'DATA_CONTEXT' && lines[line + 1]?.startsWith('- path: @') === true);
  let end = start;
  while (end < lines.length && !(lines[end - 1] === '' && isNext(end))) end++;
  const text = lines.slice(start, end).join('\n').trimEnd();
  return { shell: { kind: 'input', forNodeId: bound?.slice(FOR_NODE.length), text }, end };
}

function blockEnd(lines: readonly string[], at: number): number {
  let end = at + 1;
  while (/^(?: {2})?- /.test(lines[end] ?? '')) end++;
  return end;
}

function toBrief(lines: readonly string[]): NodeBrief {
  const values = new Map<string, string>();
  const lists = new Map<string, string[]>();
  let list = '';
  for (const line of lines) {
    const [, key, value] = /^- (\w+):(?: (.*))?$/.exec(line) ?? [];
    if (key === undefined) lists.get(list)?.push(line.slice('  - '.length));
    else if (value !== undefined) values.set(key, value);
    else {
      list = key;
      lists.set(key, []);
    }
  }
  const steps = values.get('stepsCompleted') ?? 'none';
  const nodeId = values.get('currentNodeId') ?? '';
  return {
    nodeId,
    title: values.get('title') || nodeId,
    type: values.get('type') ?? 'step',
    stepFile: values.get('stepFile') ?? '',
    stepsCompleted: steps === 'none' ? [] : steps.split(', '),
    variables: parseObject(values.get('variables') ?? ''),
    inputs: (lists.get('inputsMap') ?? []).map(toMountPath),
    outputs: (lists.get('outputsMap') ?? []).map(toMountPath),
    ways: (lists.get('allowedNext') ?? []).map(toWay).filter((way) => way !== undefined),
  };
}

/** `docs/a.md -> @project/docs/a.md` */
function toMountPath(line: string): string {
  return / -> (@(?:project|pkg|state)\/.*)$/.exec(line)?.[1] ?? line;
}

const FACT = /(?:^|, )(?:(default)|(\w+)=("(?:[^"\\]|\\.)*"|[^,]*))/gy;

/** `end-99 (label=accept, default)`; a value that could be misread is a JSON string. */
function toWay(line: string): Way | undefined {
  const [, to, inside = ''] = /^(\S+) \((.*)\)$/.exec(line) ?? [];
  if (to === undefined) return undefined;
  const facts = new Map<string, string>();
  for (const [, bare, key = bare ?? '', value = ''] of inside.matchAll(FACT)) facts.set(key, toWord(value));
  return {
    to,
    label: facts.get('label') ?? '',
    isDefault: facts.has('default'),
    isMet: facts.get('condition') === 'true',
  };
}

function toWord(text: string): string {
  if (!text.startsWith('"')) return text;
  const value = parseJson(text);
  return typeof value === 'string' ? value : text;
}

/** The object a JSON text stands for; undefined for anything else. */
export function parseObject(text: string): JsonRecord | undefined {
  const value = parseJson(text);
  return isRecord(value) ? value : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
