/**
 * Tool groups of a history: a reply with tool calls and their results, complete or summarised. Groups are never
 * split, because providers reject a call without its result.
 */
import { parseObject } from '@crewagent/protocol/json-object';
import type { ChatMessage, WireToolCall } from '../llm/wire.ts';

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

export function describeCall({ function: { name, arguments: text } }: WireToolCall): string {
  const args = parseObject(text);
  const subject = args?.path ?? args?.query ?? args?.nodeId;
  return typeof subject === 'string' ? `${name} ${shorten(subject, 200)}` : `${name} ${shorten(text, 80)}`;
}

export function describeAnswer(content: string): string {
  const answer = parseObject(content);
  if (answer?.ok === true) return 'ok';
  const { code } = { ...(answer?.error as { code?: unknown } | undefined) };
  return typeof code === 'string' ? `failed, ${code}` : 'answered';
}

export function shorten(text: string, length: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > length ? `${line.slice(0, length)}…` : line;
}
