/**
 * The rules of the strictest provider. A request that passes is valid for every provider.
 */
import { isObject } from '@crewagent/protocol/json-object';
import { type JsonRecord, textIn } from '../../llm/untrusted-json.ts';

const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** All violations in the body of a request. */
export function violationsOf(body: unknown): string[] {
  if (!isObject(body)) return ['the body is not an object'];
  const messages = body.messages;
  if (!Array.isArray(messages) || !messages.every(isObject)) return ['messages is not a list of objects'];
  return [
    ...(textIn(body.model) === '' ? ['there is no model'] : []),
    ...toolViolations(body.tools),
    ...orderViolations(messages),
    ...messages.flatMap((message, at) => messageViolations(message, at)),
    ...resultViolations(messages),
  ];
}

function toolViolations(tools: unknown): string[] {
  if (tools === undefined) return [];
  if (!Array.isArray(tools) || tools.length === 0) return ['tools is not a list, or is empty'];
  const names = tools.map((tool) =>
    textIn(isObject(tool) && isObject(tool.function) ? tool.function.name : ''),
  );
  return [
    ...names.filter((name) => !TOOL_NAME.test(name)).map((name) => `the tool name "${name}" is not allowed`),
    ...(new Set(names).size === names.length ? [] : ['two tools have the same name']),
  ];
}

function orderViolations(messages: readonly JsonRecord[]): string[] {
  const roles = messages.map((message) => message.role);
  const found: string[] = [];
  if (roles.length === 0) found.push('there are no messages');
  if (roles.lastIndexOf('system') > 0) found.push('there is a system message after the first message');
  if (roles.some((role, at) => role === 'user' && roles[at - 1] === 'user'))
    found.push('two user messages are adjacent');
  if (roles.some((role, at) => role === 'assistant' && roles[at - 1] === 'assistant')) {
    found.push('two assistant messages are adjacent');
  }
  if (roles.at(-1) !== 'user' && roles.at(-1) !== 'tool')
    found.push('the last message is from neither user nor tool');
  return found;
}

function messageViolations(message: JsonRecord, at: number): string[] {
  const calls = callsOf(message);
  const mayBeNull = message.role === 'assistant' && calls.length > 0;
  const found: string[] = [];
  if (!['system', 'user', 'assistant', 'tool'].includes(textIn(message.role)))
    found.push(`message ${at} has an unknown role`);
  if (typeof message.content !== 'string' && !(mayBeNull && message.content === null)) {
    found.push(`the content of message ${at} is not text`);
  }
  if (message.tool_calls !== undefined && calls.length === 0)
    found.push(`message ${at} has an empty list of tool calls`);
  const ids = calls.map((call) => textIn(call.id));
  if (ids.includes('')) found.push(`a tool call of message ${at} has no id`);
  if (new Set(ids).size !== ids.length) found.push(`two tool calls of message ${at} have the same id`);
  for (const call of calls) {
    const called = isObject(call.function) ? call.function : {};
    if (!TOOL_NAME.test(textIn(called.name)))
      found.push(`message ${at} calls a tool with a name that is not allowed`);
    if (!isObject(parsed(called.arguments)))
      found.push(`the arguments of a call of message ${at} are not a JSON object`);
  }
  return found;
}

/** Each call must be answered once, right after its message, in the order of the calls. */
function resultViolations(messages: readonly JsonRecord[]): string[] {
  const found: string[] = [];
  let open: string[] = [];
  for (const [at, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (open[0] !== message.tool_call_id || open.length === 0)
        found.push(`message ${at} answers no open tool call`);
      else open = open.slice(1);
      continue;
    }
    if (open.length > 0) found.push(`message ${at} comes before all tool calls are answered`);
    open = callsOf(message).map((call) => textIn(call.id));
  }
  if (open.length > 0) found.push('tool calls at the end are not answered');
  return found;
}

function callsOf({ tool_calls: calls }: JsonRecord): JsonRecord[] {
  return Array.isArray(calls) ? calls.filter(isObject) : [];
}

function parsed(json: unknown): unknown {
  try {
    return JSON.parse(textIn(json)) as unknown;
  } catch {
    return undefined;
  }
}
