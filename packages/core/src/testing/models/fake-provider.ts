/**
 * A local provider that replies from a script: a real HTTP server for tests and benchmarks. By default it rejects everything
 * the strictest provider would reject, and records all requests.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isObject, parseObject } from '@crewagent/protocol/json-object';
import { type JsonRecord, textIn } from '../../llm/untrusted-json.ts';
import type { ChatMessage, WireTool } from '../../llm/wire.ts';
import { type HttpServer, readBody, startHttpServer } from '../http-server.ts';
import { type ProviderReply, statusReply, textReply } from './provider-replies.ts';

/** Its URL ends in `/v1`. */
export interface FakeProvider extends Pick<HttpServer, 'url' | 'close'> {
  readonly requests: readonly ReceivedRequest[];
  readonly violations: readonly string[];
}

export type ReceivedRequest = Awaited<ReturnType<typeof receive>>;

/** A valid request body; others are rejected. */
export interface ReceivedBody {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly WireTool[];
  readonly [field: string]: unknown;
}

/** One reply for each request, or a function that returns it. */
export type ProviderScript =
  | readonly ProviderReply[]
  | ((request: ReceivedRequest, index: number) => ProviderReply | Promise<ProviderReply>);

export interface FakeProviderOptions {
  /** Whether invalid requests are rejected; true by default. */
  readonly isStrict?: boolean;
  /** Whether requests are recorded; a benchmark of a long run disables it. */
  readonly keepsRequests?: boolean;
  /**
   * Whether a text of the script stops the run: asked for a call instead, the provider repeats the text, outside of the script.
   * True by default.
   */
  readonly repeatsTexts?: boolean;
}

export async function startFakeProvider(
  script: ProviderScript,
  { isStrict = true, keepsRequests = true, repeatsTexts = true }: FakeProviderOptions = {},
): Promise<FakeProvider> {
  const requests: ReceivedRequest[] = [];
  const violations: string[] = [];
  const connections = new WeakMap<object, number>();
  let connectionCount = 0;
  let requestCount = 0;

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await receive(incoming, connections.get(incoming.socket) ?? 0);
    const repeated = repeatsTexts ? findRepeatedText(request.body) : undefined;
    if (repeated !== undefined) return play(textReply(repeated), response);
    const index = requestCount++;
    if (keepsRequests) requests.push(request);
    const found = isStrict ? violationsOf(request.body) : [];
    violations.push(...found.map((violation) => `request ${index}: ${violation}`));
    await play(found.length > 0 ? rejection(found) : await replyTo(request, index), response);
  }

  async function replyTo(request: ReceivedRequest, index: number): Promise<ProviderReply> {
    const reply = typeof script === 'function' ? await script(request, index) : script[index];
    if (reply !== undefined) return reply;
    violations.push(`request ${index}: the script is over`);
    return rejection(['the script is over']);
  }

  const { url, close } = await startHttpServer(
    // Clients that disconnect during a reply are part of the tests.
    (incoming, response) => void answer(incoming, response).catch(() => response.destroy()),
    (socket) => connections.set(socket, ++connectionCount),
  );
  return { url: `${url}/v1`, requests, violations, close };
}

const ASKS_FOR_CALL = 'RUNTIME_NOTE\nYour last reply had no tool call';

/** The last reply, if the model is asked for a call because that reply had none. */
function findRepeatedText({ messages }: ReceivedBody): string | undefined {
  const note = messages.at(-1);
  if (note?.role !== 'user' || !note.content.startsWith(ASKS_FOR_CALL)) return undefined;
  return messages.findLast(({ role }) => role === 'assistant')?.content ?? undefined;
}

async function receive(incoming: IncomingMessage, connection: number) {
  const rawBody = await readBody(incoming);
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: incoming.headers,
    rawBody,
    body: JSON.parse(rawBody.toString()) as ReceivedBody,
    /** Number of the connection, from 1. */
    connection,
  };
}

function rejection(violations: readonly string[]): ProviderReply {
  return statusReply(400, { error: { message: violations.join('; '), type: 'invalid_request_error' } });
}

async function play(reply: ProviderReply, response: ServerResponse): Promise<void> {
  const { status = 200, headers = {}, chunks = [], ending = 'end' } = reply;
  if (reply.isHeadless !== true) {
    response.writeHead(status, headers);
    response.flushHeaders();
    for await (const chunk of chunks) {
      if (response.destroyed) return;
      if (!response.write(chunk)) await drainOrClose(response);
    }
  }
  if (ending === 'end') response.end();
  // Written data is still sent before the connection breaks. Node may pass it to the socket only in the next tick.
  if (ending === 'cut') setImmediate(() => response.socket?.destroySoon());
  if (ending === 'reset') response.write('', () => setImmediate(() => response.socket?.resetAndDestroy()));
}

function drainOrClose(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      response.off('drain', settle);
      response.off('close', settle);
      resolve();
    };
    response.on('drain', settle);
    response.on('close', settle);
  });
}

const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Violations of the rules of the strictest provider: a body without any is valid for every provider. */
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
    if (!parseObject(textIn(called.arguments)))
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

export function callsOf({ tool_calls: calls }: JsonRecord): JsonRecord[] {
  return Array.isArray(calls) ? calls.filter(isObject) : [];
}
