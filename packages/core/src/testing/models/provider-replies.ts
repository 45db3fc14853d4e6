/**
 * Provider replies as values: valid replies, errors, and all kinds of broken streams. A broken reply is derived from a valid
 * one by removing something.
 */
import type { WireToolCall } from '../../llm/wire.ts';

export interface ProviderReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Written one after the other. */
  readonly chunks?: Chunks;
  /** After the last chunk: a normal end, a hang, a closed connection, or a reset. */
  readonly ending?: 'end' | 'hang' | 'cut' | 'reset';
  /** No response head is sent. */
  readonly isHeadless?: boolean;
}

type Chunk = string | Uint8Array;
type Chunks = Iterable<Chunk> | AsyncIterable<Chunk>;

export interface StreamOptions {
  readonly text?: string;
  readonly reasoning?: string;
  readonly toolCalls?: readonly ScriptedCall[];
  /** Number of characters of text or arguments per event. */
  readonly pieceLength?: number;
  readonly finishReason?: string | null;
  /** As on the wire; null for none. */
  readonly usage?: Readonly<Record<string, unknown>> | null;
  readonly hasDone?: boolean;
}

export interface ScriptedCall {
  readonly id?: string;
  readonly name: string;
  /** An object is serialised as JSON; a string is sent unchanged. */
  readonly arguments: Readonly<Record<string, unknown>> | string;
}

const USAGE = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };

export function textReply(text: string, options: StreamOptions = {}): ProviderReply {
  return streamReply({ text, ...options });
}

export function toolCallReply(
  toolCalls: readonly ScriptedCall[],
  options: StreamOptions = {},
): ProviderReply {
  return streamReply({ toolCalls, ...options });
}

/** A reply as OpenAI streams it: role, text, calls, reason, count, `[DONE]`. */
export function streamReply(options: StreamOptions): ProviderReply {
  return eventsReply(toChunks(options), options.hasDone);
}

/** A stream of the given chunks of a completion. */
export function eventsReply(chunks: readonly unknown[], hasDone = true): ProviderReply {
  const events = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
  return rawReply(hasDone ? [...events, 'data: [DONE]\n\n'] : events);
}

/** An event stream of exactly these bytes. */
export function rawReply(chunks: Chunks): ProviderReply {
  return { headers: { 'content-type': 'text/event-stream' }, chunks };
}

/** One document instead of a stream. */
export function jsonReply(value: unknown, status = 200): ProviderReply {
  return { status, headers: { 'content-type': 'application/json' }, chunks: [JSON.stringify(value)] };
}

/** The same reply as a stream, in one document. */
export function wholeReply({
  text,
  toolCalls = [],
  finishReason,
  usage = USAGE,
}: StreamOptions): ProviderReply {
  const message = {
    role: 'assistant',
    content: text ?? null,
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map(toWireCall) }),
  };
  const reason = finishReason ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop');
  return jsonReply({
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: reason }],
    usage,
  });
}

export function statusReply(
  status: number,
  body: string | Readonly<Record<string, unknown>> = '',
  headers: Readonly<Record<string, string>> = {},
): ProviderReply {
  const isText = typeof body === 'string';
  return {
    status,
    headers: { 'content-type': isText ? 'text/plain' : 'application/json', ...headers },
    chunks: [isText ? body : JSON.stringify(body)],
  };
}

export function hangBeforeHeaders(): ProviderReply {
  return { isHeadless: true, ending: 'hang' };
}

export function hangAfterHeaders(): ProviderReply {
  return { ...rawReply([]), ending: 'hang' };
}

/** The connection breaks before a byte is sent. */
export function drop(): ProviderReply {
  return { isHeadless: true, ending: 'cut' };
}

/** The first chunks, and then nothing. */
export function stallAfter(reply: ProviderReply, chunks: number): ProviderReply {
  return { ...reply, chunks: listOf(reply).slice(0, chunks), ending: 'hang' };
}

/** The first chunks and then a normal end. */
export function endAfter(reply: ProviderReply, chunks: number): ProviderReply {
  return { ...reply, chunks: listOf(reply).slice(0, chunks) };
}

/** The first bytes of the body, and then the connection breaks. */
export function cutAfter(reply: ProviderReply, bytes: number): ProviderReply {
  const whole = Buffer.concat(listOf(reply).map((chunk) => Buffer.from(chunk)));
  return { ...reply, chunks: [whole.subarray(0, bytes)], ending: 'cut' };
}

/** The same chunk endlessly, as fast as it is read. */
export function endlessReply(chunk: string): ProviderReply {
  return rawReply({
    *[Symbol.iterator]() {
      for (;;) yield chunk;
    },
  });
}

/** The same chunk endlessly, with a pause before each, like a slow provider. */
export function tricklingReply(chunk: string, pauseMs: number): ProviderReply {
  return rawReply({
    async *[Symbol.asyncIterator]() {
      for (;;) {
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        yield chunk;
      }
    },
  });
}

/** The chunks of a completion, as parsed. */
export function toChunks(options: StreamOptions): unknown[] {
  const { text = '', reasoning = '', toolCalls = [], pieceLength = 12, usage = USAGE } = options;
  const reason =
    options.finishReason === undefined
      ? toolCalls.length > 0
        ? 'tool_calls'
        : 'stop'
      : options.finishReason;
  const chunk = (delta: unknown, finish_reason: string | null = null): unknown => ({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason }],
  });
  return [
    chunk({ role: 'assistant', content: '' }),
    ...pieces(reasoning, pieceLength).map((piece) => chunk({ reasoning_content: piece })),
    ...pieces(text, pieceLength).map((piece) => chunk({ content: piece })),
    ...toolCalls
      .flatMap((call, index) => callDeltas(call, index, pieceLength))
      .map((delta) => chunk({ tool_calls: [delta] })),
    ...(reason === null ? [] : [chunk({}, reason)]),
    ...(usage === null ? [] : [{ object: 'chat.completion.chunk', choices: [], usage }]),
  ];
}

function callDeltas(call: ScriptedCall, index: number, pieceLength: number): unknown[] {
  const wire = toWireCall(call, index);
  return [
    { index, id: wire.id, type: 'function', function: { name: wire.function.name, arguments: '' } },
    ...pieces(wire.function.arguments, pieceLength).map((piece) => ({
      index,
      function: { arguments: piece },
    })),
  ];
}

function toWireCall(call: ScriptedCall, index: number): WireToolCall {
  const text = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
  return {
    id: call.id ?? `call_${index + 1}`,
    type: 'function',
    function: { name: call.name, arguments: text },
  };
}

function pieces(text: string, length: number): string[] {
  const characters = [...text];
  const found: string[] = [];
  for (let at = 0; at < characters.length; at += length)
    found.push(characters.slice(at, at + length).join(''));
  return found;
}

function listOf({ chunks = [] }: ProviderReply): Chunk[] {
  if (Symbol.asyncIterator in chunks) throw new Error('only a reply with a list of chunks can be cut');
  return [...chunks];
}
