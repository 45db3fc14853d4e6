/**
 * Derives the current visit of a node from a request: the brief, the calls since the run arrived and their results,
 * and the person's messages. Pure; there is no other memory.
 */

import { isObject, parseObject } from '@crewagent/protocol/json-object';
import type { NodeFacts, RequestFacts, SentFact } from '../request-facts.ts';
import type { JsonRecord } from '../untrusted-json.ts';
import type { AssistantMessage, ChatMessage } from '../wire.ts';

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
