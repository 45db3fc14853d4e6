/**
 * Reads a request as a model does: the node, its step and what happened since, from nothing but messages and tools. Undefined
 * where no node is active. Pure.
 */

import { fillVariables } from '@crewagent/protocol/fill-variables';
import { isObject, parseObject } from '@crewagent/protocol/json-object';
import type { CheckKind } from '@crewagent/protocol/proof';
import { type OutgoingEdge, toProjectPath } from '../../llm/request-facts.ts';
import type { ChatMessage, ChatRequest } from '../../llm/wire.ts';
import type { EdgeSources, LeftNode } from './choose-edge.ts';
import type { ContentDemands } from './content.ts';
import { parseStep, type Step, splitDocument } from './step.ts';
import { findStated } from './variables.ts';
import { type MadeCall, readCalls } from './visit.ts';

export type ReadableRequest = Pick<ChatRequest, 'messages'> & Partial<Pick<ChatRequest, 'tools'>>;

export interface RequestText extends Demands, LeftNode, Pick<EdgeSources, 'mayRepeat'> {
  readonly title: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly step: Step;
  readonly body: string;
  /** Keys of the step's frontmatter with a text as value. */
  readonly keys: Readonly<Record<string, string>>;
  /** Values for what the step sets. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** The step stops for the person. */
  readonly isHalting: boolean;
  /** The step that the prose says to load. */
  readonly nextFile: string | undefined;
  /** Calls in this node, in order. */
  readonly calls: readonly MadeCall[];
  /** What the person said or answered in this node. */
  readonly said: readonly string[];
  /** Replies since they last did. */
  readonly afterLastInput: number;
  /** Wire names of the tools. */
  readonly offered: ReadonlySet<string>;
}

export function readRequest({ messages, tools = [] }: ReadableRequest): RequestText | undefined {
  const start = messages.findLastIndex(
    (message) => message.role === 'user' && message.content.includes('\nSTEP_FILE @pkg/'),
  );
  if (start === -1) return undefined;
  const since = messages.slice(start);
  const texts = since.flatMap(({ role, content }) => (role === 'user' ? [content ?? ''] : []));
  const brief = afterLast(texts.findLast((text) => text.includes('NODE_BRIEF\n')) ?? '', 'NODE_BRIEF\n');
  const stepText = /\nSTEP_FILE @pkg\/\S+\n([\s\S]*?)\nEND_STEP_FILE/.exec(texts[0] ?? '')?.[1] ?? '';
  const { fields, body } = splitDocument(stepText);
  const step = parseStep(stepText);
  const keys = Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
  const outgoing = listOf(brief, 'allowedNext').map(toEdge);
  const named = lineOf(brief, 'setsVariables').split(', ');
  const set = named.filter((name) => name !== '' && (name !== 'workflowStatus' || outgoing.length === 0));
  const words = readWords(since);
  const known = parseObject(lineOf(brief, 'variables')) ?? {};
  const toValue = (name: string): unknown =>
    findStated(name, words.said) ?? (Object.hasOwn(known, name) ? known[name] : `the-${name}`);
  const variables = Object.fromEntries(
    set.map((name) => [name, name === 'workflowStatus' ? 'complete' : toValue(name)]),
  );
  const values = { ...known, ...variables };
  const fill = (path: string): string => fillVariables(path, values);
  const calls = readCalls(since);
  const demands = readDemands(listOf(brief, 'checkedOnLeaving'), calls, fill);
  return {
    nodeId: lineOf(brief, 'currentNodeId'),
    type: lineOf(brief, 'type'),
    title: lineOf(brief, 'title'),
    stepsCompleted: lineOf(brief, 'stepsCompleted').split(', '),
    inputs: listOf(brief, 'inputsMap').map(afterArrow),
    outputs: listOf(brief, 'outputsMap').map((line) => fill(afterArrow(line))),
    outgoing,
    step,
    body,
    keys,
    variables,
    isHalting: step.isWaiting || step.menu.length > 0 || demands.asksPerson || /<ask>|等待/.test(body),
    nextFile: /`?(\.\/[\w./-]*step[\w.-]*\.md)`?/.exec(body)?.[1] ?? keys.nextStepFile,
    calls,
    ...words,
    ...demands,
    offered: new Set(tools.map((tool) => tool.function.name)),
  };
}

function readWords(messages: readonly ChatMessage[]): Pick<RequestText, 'said' | 'afterLastInput'> {
  const asked = new Set<string>();
  const said: string[] = [];
  let afterLastInput = 0;
  const hear = (words: string): void => {
    said.push(words.trim());
    afterLastInput = 0;
  };
  for (const message of messages) {
    if (message.role === 'assistant') {
      afterLastInput++;
      for (const { id, function: made } of message.tool_calls ?? [])
        if (made.name === 'ui_ask_user') asked.add(id);
    } else if (message.role === 'user') {
      const words = message.content.split(/(?:^|\n)USER_INPUT\n- forNodeId: .*\n/).slice(1);
      for (const text of words) hear(text);
    } else if (message.role === 'tool' && asked.has(message.tool_call_id)) {
      const { ok, answers } = parseObject(message.content) ?? {};
      if (ok === true) hear(toWords(Object.values((answers ?? {}) as Record<string, unknown>)[0]));
    }
  }
  return { said, afterLastInput };
}

function toWords(answer: unknown): string {
  return typeof answer === 'string' ? answer : JSON.stringify(answer ?? '');
}

function toEdge(line: string): OutgoingEdge {
  return {
    to: line.split(' ')[0] ?? '',
    label: /label=("(?:[^"\\]|\\.)*"|[^,)]*)/.exec(line)?.[1]?.replaceAll('"', '') ?? '',
    isDefault: /, default\b/.test(line),
    isMet: /, condition=true\b/.test(line),
  };
}

function lineOf(brief: string, name: string): string {
  return new RegExp(`^- ${name}: (.*)$`, 'm').exec(brief)?.[1] ?? '';
}

function listOf(brief: string, name: string): string[] {
  const lines = brief.split('\n');
  const start = lines.indexOf(`- ${name}:`);
  if (start === -1) return [];
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => !line.startsWith('  - '));
  return rest.slice(0, end === -1 ? rest.length : end).map((line) => line.slice(4));
}

function afterArrow(line: string): string {
  return afterLast(line, ' -> ');
}

function afterLast(text: string, separator: string): string {
  return text.split(separator).at(-1) ?? text;
}

interface Demands {
  /** By mount path; braces and globs are filled in. */
  readonly files: ReadonlyMap<string, ContentDemands>;
  /** To be read before anything is written. */
  readonly reads: readonly string[];
  /** The person must have been heard. */
  readonly asksPerson: boolean;
  /** Refused attempts to leave the node, oldest first. */
  readonly refusals: readonly Refusal[];
}

interface Refusal {
  readonly code: string;
  readonly message: string;
  /** Kinds of the checks that are not met. */
  readonly kinds: readonly CheckKind[];
  /** Index of the call. */
  readonly at: number;
}

function readDemands(
  checkLines: readonly string[],
  calls: readonly MadeCall[],
  fill: (path: string) => string,
): Demands {
  const files = new Map<string, ContentDemands>();
  const reads = new Set<string>();
  const refusals: Refusal[] = [];
  const demand = (path: string, wanted: ContentDemands): void => {
    const full = toFilePath(fill(path));
    files.set(full, merge(files.get(full) ?? {}, wanted));
  };
  for (const line of checkLines) {
    const [, read] = /^read (.+) before you write$/.exec(line) ?? [];
    const [, path = '', demands = ''] = /^(.+?): ((?:written|exists).*)$/.exec(line) ?? [];
    if (read !== undefined) reads.add(fill(read));
    else if (path !== '') demand(path, toContentDemands(demands));
  }
  for (const [at, { result }] of calls.entries()) {
    if (result.ok || !LEAVING_ERRORS.has(result.code)) continue;
    const { code, message, details } = result;
    const missing = Array.isArray(details.missing) ? details.missing.filter(isObject) : [];
    for (const { id, path, kind, message: issue } of missing) {
      if (kind === 'read') reads.add(String(path ?? id));
      else if (kind !== 'wait' && kind !== 'verify')
        demand(String(path ?? id), toMissing(kind, String(issue)));
    }
    const outputs = Array.isArray(details.outputsMissing) ? details.outputsMissing.map(String) : [];
    for (const path of outputs) demand(path, {});
    refusals.push({ code, message, kinds: missing.map(({ kind }) => kind as CheckKind), at });
  }
  const asksPerson =
    checkLines.some((line) => line === 'the user answers in this step') ||
    refusals.some(({ kinds }) => kinds.includes('wait'));
  return { files, reads: [...reads], asksPerson, refusals };
}

const LEAVING_ERRORS = new Set(['E_OUTPUT_INCOMPLETE', 'E_PERSON_NOT_HEARD', 'E_OUTPUTS_MISSING']);

/** "written in this step, 120 words or more, without {{ | TODO, headings Scope | Risks"; the end may be cut off. */
function toContentDemands(text: string): ContentDemands {
  const isCut = text.endsWith('…');
  const listAfter = (name: string): string[] => {
    const [, list, end] =
      new RegExp(`, ${name} (.*?)(, (?:without|with|matches|columns|headings) |$)`).exec(text) ?? [];
    const items = list?.split(' | ') ?? [];
    return isCut && end === '' ? items.slice(0, -1) : items;
  };
  const [, words] = /(\d+) words or more/.exec(text) ?? [];
  return {
    ...(words === undefined ? {} : { minWords: Number(words) }),
    headings: listAfter('headings'),
    contains: listAfter('with'),
    notContains: listAfter('without'),
    columns: listAfter('columns'),
  };
}

/** `prd.md lacks the headings "Scope", "Risks".` */
function toMissing(kind: unknown, message: string): ContentDemands {
  const quoted = [...message.matchAll(/"([^"]*)"/g)].map(([, text = '']) => text);
  switch (kind) {
    case 'headings':
    case 'contains':
    case 'notContains':
    case 'columns':
      return { [kind]: quoted };
    case 'minWords':
      return { minWords: Number(/needs (\d+)/.exec(message)?.[1] ?? 0) };
    default:
      return {};
  }
}

const LISTS = ['headings', 'contains', 'notContains', 'columns'] as const;

function merge(one: ContentDemands, other: ContentDemands): ContentDemands {
  const both = LISTS.map((key) => [key, [...new Set([...(one[key] ?? []), ...(other[key] ?? [])])]] as const);
  return { minWords: Math.max(one.minWords ?? 0, other.minWords ?? 0), ...Object.fromEntries(both) };
}

/** A glob stands for one file of any name. */
function toFilePath(path: string): string {
  return toProjectPath(path.replaceAll('**/', '').replaceAll('*', 'rehearsal'));
}
