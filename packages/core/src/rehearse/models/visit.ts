/**
 * Derives the current visit of a node from a request: the brief, the calls since the run arrived and their results,
 * and the person's messages. Pure; there is no other memory.
 */

import { isObject, parseObject } from '@crewagent/protocol/json-object';
import { withoutLineNumbers } from '@crewagent/protocol/numbered-lines';
import type { NodeFacts, RequestFacts, SentFact } from '../../llm/request-facts.ts';
import type { JsonRecord } from '../../llm/untrusted-json.ts';
import type { AssistantMessage, ChatMessage } from '../../llm/wire.ts';

export interface Visit {
  readonly brief: NodeFacts;
  /** Answered calls since the run arrived at the node. */
  readonly calls: readonly MadeCall[];
  /** Answered calls since the last anchor of the node: after a stop, a message of the person or a restart. */
  readonly recentCalls: readonly MadeCall[];
  /** Messages of the person at this node, verbatim. */
  readonly inputs: readonly string[];
}

/** A call with its result. A call that a stop interrupted is ignored. */
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

/** Undefined if the run is at no node. */
export function readVisit(
  messages: readonly ChatMessage[],
  { node, groups, sent }: RequestFacts,
): Visit | undefined {
  if (!node) return undefined;
  const isHere = (fact: SentFact): boolean => fact.kind === 'anchor' && fact.nodeId === node.nodeId;
  const isElsewhere = (fact: SentFact): boolean => fact.kind === 'anchor' && fact.nodeId !== node.nodeId;
  const since = sent.slice(sent.findLastIndex(isElsewhere) + 1);
  const here = since.slice(since.findIndex(isHere));
  const callsFrom = (fact: SentFact | undefined): MadeCall[] => readCalls(messages, groups - (fact?.at ?? 0));
  return {
    brief: node,
    calls: callsFrom(here[0]),
    recentCalls: callsFrom(here.findLast(isHere)),
    inputs: here.flatMap((fact) =>
      fact.kind === 'words' && fact.nodeId === node.nodeId ? [fact.text.trimEnd()] : [],
    ),
  };
}

/** All answered calls of the last `groups` replies with calls, in order. */
export function readCalls(messages: readonly ChatMessage[], groups = Number.POSITIVE_INFINITY): MadeCall[] {
  const replies = messages.flatMap((message, at) =>
    message.role === 'assistant' && message.tool_calls?.length ? [{ message, at }] : [],
  );
  return replies
    .slice(Math.max(0, replies.length - groups))
    .flatMap(({ message, at }) => readGroup(message, messages, at + 1));
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
  const { code, message, details } = isObject(value.error) ? value.error : {};
  if (code === 'ENGINE_ABORTED') return undefined;
  return {
    ok: false,
    code: typeof code === 'string' ? code : 'E_INTERNAL',
    message: typeof message === 'string' ? message : 'no reason was given',
    details: isObject(details) ? details : {},
  };
}

export interface Answers {
  /** By question id. */
  readonly byId: JsonRecord;
  /** Messages of the person that answer no question. */
  readonly messages: readonly string[];
}

export function readAnswers({ calls, inputs }: Visit): Answers {
  const byId: Record<string, unknown> = {};
  const texts: string[] = [];
  for (const { name, result } of calls) {
    if (name !== 'ui_ask_user' || !result.ok) continue;
    if (isObject(result.value.answers)) Object.assign(byId, result.value.answers);
    // One text that answers several questions.
    if (typeof result.value.text === 'string') texts.push(result.value.text);
  }
  return { byId, messages: [...texts, ...inputs] };
}

type StepText =
  | { readonly text: string }
  /** Arguments of the reads that are still needed. */
  | { readonly reads: readonly Record<string, unknown>[] };

/** At most this many further reads of the preview's length; later text is ignored. */
const MAX_PIECES = 8;

/** The text of a step or a script, from one complete read or several reads of a large file. */
export function findStepText(path: string, calls: readonly MadeCall[]): StepText {
  const reads = calls.filter(({ name, args }) => name === 'fs_read' && args.path === path);
  const first = reads.find(({ args }) => args.startLine === undefined);
  if (!first) return { reads: [{ path }] };
  const beginning = textOf(first);
  const pieces = piecesAfter(first, beginning).map((piece) => ({
    piece: { path, ...piece },
    read: reads.find(({ args }) => args.startLine === piece.startLine),
  }));
  const missing = pieces.filter(({ read }) => read === undefined);
  if (missing.length > 0) return { reads: missing.map(({ piece }) => piece) };
  return { text: [beginning, ...pieces.map(({ read }) => (read ? textOf(read) : ''))].join('') };
}

/** An unreadable step has no text. */
function textOf({ result }: MadeCall): string {
  if (!result.ok) return '';
  const { content, contentPreview } = result.value;
  const text = content ?? contentPreview;
  return typeof text === 'string' ? withoutLineNumbers(text) : '';
}

function piecesAfter({ result }: MadeCall, beginning: string): { startLine: number; endLine: number }[] {
  if (!result.ok || result.value.truncated !== true) return [];
  const { totalLines } = result.value;
  if (typeof totalLines !== 'number') return [];
  const length = Math.max(1, beginning.split('\n').length - 1);
  const pieces: { startLine: number; endLine: number }[] = [];
  for (let line = length + 1; line <= totalLines && pieces.length < MAX_PIECES; line += length) {
    pieces.push({ startLine: line, endLine: Math.min(line + length - 1, totalLines) });
  }
  return pieces;
}
