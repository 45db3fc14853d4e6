/**
 * The last check before a request is sent: would the strictest provider accept it? An issue found here is a bug of
 * ours.
 */
import type { AssistantMessage, ChatMessage, ChatRequest } from '../llm/wire.ts';

/** Describes the first issue; undefined if there is none. */
export function findProtocolIssue({ messages, tools }: ChatRequest): string | undefined {
  const badTool = tools.find(({ function: { name } }) => !WIRE_NAME.test(name));
  if (badTool) return `the tool name "${badTool.function.name}" is not allowed on the wire`;
  let previous: ChatMessage | undefined;
  let awaited: string[] = [];
  for (const [index, message] of messages.entries()) {
    const issue = awaited.length > 0 ? findAnswerIssue(message, awaited) : findOrderIssue(message, previous);
    if (issue) return `message ${index}: ${issue}`;
    if (message.role === 'tool') awaited = awaited.slice(1);
    if (message.role === 'assistant') {
      const calls = findCallIssue(message);
      if (typeof calls === 'string') return `message ${index}: ${calls}`;
      awaited = calls;
    }
    previous = message;
  }
  if (awaited.length > 0) return `the call ${awaited[0]} has no result`;
  return previous?.role === 'assistant' ? 'nothing follows the last reply' : undefined;
}

const WIRE_NAME = /^[A-Za-z0-9_-]{1,64}$/;

function findAnswerIssue(message: ChatMessage, awaited: readonly string[]): string | undefined {
  if (message.role !== 'tool')
    return `a ${message.role} message is in place of the result of call ${awaited[0]}`;
  return message.tool_call_id === awaited[0] ? undefined : `answers ${message.tool_call_id} out of order`;
}

function findOrderIssue(message: ChatMessage, previous: ChatMessage | undefined): string | undefined {
  if (message.role === 'tool') return `the result ${message.tool_call_id} belongs to no call`;
  if (message.role === 'system')
    return previous && previous.role !== 'system' ? 'a system message is not at the start' : undefined;
  if (!previous) return 'the first message is not a system message';
  if (message.role === 'user') return previous.role === 'user' ? 'two user messages are adjacent' : undefined;
  return previous.role === 'system' || previous.role === 'assistant'
    ? `an assistant message follows a ${previous.role} message`
    : undefined;
}

/** The ids that must be answered next, or the issue with them. */
function findCallIssue(message: AssistantMessage): string[] | string {
  const calls = message.tool_calls ?? [];
  const ids = calls.map(({ id }) => id);
  if (ids.some((id) => id === '')) return 'a tool call has no id';
  if (ids.length > 1 && new Set(ids).size < ids.length) return 'two tool calls share an id';
  const unnamed = calls.find(({ function: { name } }) => !WIRE_NAME.test(name));
  if (unnamed) return `the called name "${unnamed.function.name}" is not allowed on the wire`;
  return ids;
}
