/**
 * Reads a request as a model does: the node, its step and what happened since, from nothing but messages and tools. Undefined
 * where no node is active. Pure.
 */
import { parseObject } from '@crewagent/protocol/json-object';
import { parseStep, type Step, splitDocument } from '../../llm/rehearsal/step.ts';
import { type MadeCall, readCalls } from '../../llm/rehearsal/visit.ts';
import type { ChatMessage, ChatRequest } from '../../llm/wire.ts';
import { type Demands, readDemands } from './demands.ts';

export type ReadableRequest = Pick<ChatRequest, 'messages'> & Partial<Pick<ChatRequest, 'tools'>>;

export interface RequestText extends Demands {
  readonly nodeId: string;
  readonly type: string;
  readonly title: string;
  readonly stepsCompleted: readonly string[];
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly ways: readonly Way[];
  readonly step: Step;
  readonly body: string;
  /** Keys of the step's frontmatter with a text as value. */
  readonly keys: Readonly<Record<string, string>>;
  /** Values for what the step sets. */
  readonly variables: Readonly<Record<string, string>>;
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

export interface Way {
  readonly to: string;
  readonly label: string;
  readonly isDefault: boolean;
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
  const ways = listOf(brief, 'allowedNext').map(toWay);
  const set = step.setsVariables.filter((name) => name !== 'workflowStatus' || ways.length === 0);
  const variables = Object.fromEntries(
    set.map((name) => [name, name === 'workflowStatus' ? 'complete' : `the-${name}`]),
  );
  const fill = createFill({ ...parseObject(lineOf(brief, 'variables')), ...variables });
  const calls = readCalls(since);
  const demands = readDemands(listOf(brief, 'checkedOnLeaving'), calls, fill);
  return {
    nodeId: lineOf(brief, 'currentNodeId'),
    type: lineOf(brief, 'type'),
    title: lineOf(brief, 'title'),
    stepsCompleted: lineOf(brief, 'stepsCompleted').split(', '),
    inputs: listOf(brief, 'inputsMap').map(afterArrow),
    outputs: listOf(brief, 'outputsMap').map((line) => fill(afterArrow(line))),
    ways,
    step,
    body,
    keys,
    variables,
    isHalting: step.isWaiting || step.menu.length > 0 || demands.asksPerson || /<ask>|等待/.test(body),
    nextFile: /`?(\.\/[\w./-]*step[\w.-]*\.md)`?/.exec(body)?.[1] ?? keys.nextStepFile,
    calls,
    ...readWords(since),
    ...demands,
    offered: new Set(tools.map((tool) => tool.function.name)),
  };
}

/** Braces of unset variables are kept. */
function createFill(values: Readonly<Record<string, unknown>>): (path: string) => string {
  return (path) =>
    path.replace(/\{([A-Za-z_][\w-]*)\}/g, (whole, name: string) => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      return typeof value === 'string' || typeof value === 'number' ? String(value) : whole;
    });
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

function toWay(line: string): Way {
  return {
    to: line.split(' ')[0] ?? '',
    label: /label=("(?:[^"\\]|\\.)*"|[^,)]*)/.exec(line)?.[1]?.replaceAll('"', '') ?? '',
    isDefault: /, default\b/.test(line),
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
