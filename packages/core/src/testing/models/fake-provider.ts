/**
 * A local provider that replies from a script: a real HTTP server for tests and benchmarks. By default it rejects everything
 * the strictest provider would reject, and records all requests.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ChatMessage, WireTool } from '../../llm/wire.ts';
import { type HttpServer, readBody, startHttpServer } from '../http-server.ts';
import { type ProviderReply, statusReply, textReply } from './provider-replies.ts';
import { violationsOf } from './request-rules.ts';

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
  // Written data is still sent before the connection breaks.
  if (ending === 'cut') response.socket?.destroySoon();
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
