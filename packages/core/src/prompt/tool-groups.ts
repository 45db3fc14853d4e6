/**
 * Tool groups of a history: a reply with tool calls and their results, complete or summarised. Groups are never
 * split, because providers reject a call without its result.
 */

import { parseObject, textOf } from '@crewagent/protocol/json-object';
import { effectKindOf, isFileChange } from '@crewagent/protocol/tool-effects';
import type { CallFacts, ChatMessage, WireToolCall } from '../llm/wire.ts';
import { oneLine } from './quote-blocks.ts';

export interface ToolGroup {
  readonly content: string | null;
  readonly calls: readonly { readonly call: WireToolCall; readonly answer: string }[];
}

/** Undefined if the message is not a reply with calls, or if one of its calls has no result yet. */
export function groupAt(messages: readonly ChatMessage[], index: number): ToolGroup | undefined {
  const reply = messages[index];
  if (reply?.role !== 'assistant' || !reply.tool_calls) return undefined;
  const answers = messages.slice(index + 1, index + 1 + reply.tool_calls.length);
  const calls = reply.tool_calls.flatMap((call, position) => {
    const answer = answers[position];
    return answer?.role === 'tool' ? [{ call, answer: answer.content }] : [];
  });
  return calls.length < reply.tool_calls.length ? undefined : { content: reply.content, calls };
}

export function toCallFacts(tool: string, args: Readonly<Record<string, unknown>>): CallFacts {
  return { effect: effectKindOf(tool), subject: textOf(args.path ?? args.query ?? args.nodeId) };
}

export function describeCall({ function: { name, arguments: text }, facts }: WireToolCall): string {
  const subject = facts?.subject;
  return subject === undefined ? `${name} ${shorten(text, 80)}` : `${name} ${shorten(subject, 200)}`;
}

/** Whether the user answered a question of the model. */
export function isAnswered({ call, answer }: ToolGroup['calls'][number]): boolean {
  return call.facts?.effect === 'asked' && isOk(answer);
}

/** The file that the call wrote, as the model named it. */
export function writtenPath({ call: { facts }, answer }: ToolGroup['calls'][number]): string | undefined {
  return facts && isFileChange({ kind: facts.effect }) && isOk(answer) ? facts.subject : undefined;
}

function isOk(answer: string): boolean {
  return parseObject(answer)?.ok === true;
}

export function describeAnswer(content: string): string {
  const answer = parseObject(content);
  if (answer?.ok === true) return 'ok';
  const { code } = { ...(answer?.error as { code?: unknown } | undefined) };
  return typeof code === 'string' ? `failed, ${code}` : 'answered';
}

export function shorten(text: string, length: number): string {
  const line = oneLine(text);
  return line.length > length ? `${line.slice(0, length)}…` : line;
}
