/**
 * What a request tells of the visit to the current node: the brief, what was called since the run arrived here and what
 * came of it, what the person said. Pure; nothing else is ever remembered.
 */
import { isRecord, type JsonRecord } from '../foreign-json.ts';
import type { AssistantMessage, ChatMessage } from '../wire.ts';
import { type NodeBrief, parseObject, parseShells } from './brief.ts';

export interface Visit {
  readonly brief: NodeBrief;
  /** Undefined where no anchor shows it. */
  readonly stepText: string | undefined;
  /** Answered calls since the run came here. */
  readonly calls: readonly MadeCall[];
  /** The same since the node was told last: after a stop, a word of the person's, a restart. */
  readonly recentCalls: readonly MadeCall[];
  /** What the person said here, word for word. */
  readonly inputs: readonly string[];
}

/** A call with its answer. One that a stop cut off counts as never made. */
export interface MadeCall {
  readonly name: string;
  readonly args: JsonRecord;
  readonly result: CallResult;
}

export type CallResult =
  | { readonly ok: true; readonly value: JsonRecord }
  | {
      readonly ok: false;
      readonly code: string;
      readonly message: string;
      readonly details: JsonRecord;
    };

/** Undefined when the run is at no node: after the last one, or in a talk. */
export function readVisit(messages: readonly ChatMessage[]): Visit | undefined {
  const said = messages.flatMap((message, at) =>
    message.role === 'user' ? parseShells(message.content).map((shell) => ({ shell, at })) : [],
  );
  const last = said.findLast(({ shell }) => shell.kind === 'brief' || shell.kind === 'directive');
  if (last?.shell.kind !== 'brief') return undefined;
  const { brief } = last.shell;
  const isElsewhere = ({ shell }: (typeof said)[number]): boolean =>
    shell.kind === 'brief' && shell.brief.nodeId !== brief.nodeId;
  const since = said.slice(said.findLastIndex(isElsewhere) + 1);
  const here = since.slice(since.findIndex(({ shell }) => shell.kind === 'brief'));
  const steps = said.map(({ shell }) => shell).filter((shell) => shell.kind === 'step');
  const inputs = here.map(({ shell }) => shell).filter((shell) => shell.kind === 'input');
  return {
    brief,
    stepText: steps.findLast(({ path }) => path === brief.stepFile)?.text,
    calls: readCalls(messages, here[0]?.at),
    recentCalls: readCalls(messages, last.at),
    inputs: inputs.filter(({ forNodeId }) => forNodeId === brief.nodeId).map(({ text }) => text),
  };
}

/** Every answered call from a message on, in order. */
export function readCalls(messages: readonly ChatMessage[], from = 0): MadeCall[] {
  const calls: MadeCall[] = [];
  for (let at = from; at < messages.length; at++) {
    const message = messages[at];
    if (message?.role === 'assistant') calls.push(...readGroup(message, messages, at + 1));
  }
  return calls;
}

function readGroup(
  { tool_calls: calls = [] }: AssistantMessage,
  messages: readonly ChatMessage[],
  from: number,
): MadeCall[] {
  const answers: { id: string; content: string }[] = [];
  for (let at = from; at < messages.length; at++) {
    const message = messages[at];
    if (message?.role !== 'tool') break;
    answers.push({ id: message.tool_call_id, content: message.content });
  }
  return calls.flatMap(({ id, function: { name, arguments: text } }) => {
    const at = answers.findIndex((answer) => answer.id === id);
    const [answer] = at === -1 ? [] : answers.splice(at, 1);
    const result = toResult(answer?.content ?? '');
    return result ? [{ name, args: parseObject(text) ?? {}, result }] : [];
  });
}

function toResult(content: string): CallResult | undefined {
  const value = parseObject(content);
  if (value === undefined) return undefined;
  if (value.ok === true) return { ok: true, value };
  const { code, message, details } = isRecord(value.error) ? value.error : {};
  if (code === 'ENGINE_ABORTED') return undefined;
  return {
    ok: false,
    code: typeof code === 'string' ? code : 'E_INTERNAL',
    message: typeof message === 'string' ? message : 'no reason was given',
    details: isRecord(details) ? details : {},
  };
}
