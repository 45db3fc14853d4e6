/**
 * Serialises requests. The constant part comes before the messages, each message is serialised once, and the previous
 * body is reused: within a node each body extends the previous one byte for byte, which providers cache, and costs
 * only the new bytes.
 */
import { createHash } from 'node:crypto';
import type { ChatMessage, ChatRequest, WireTool } from './wire.ts';

export interface BodySettings {
  readonly model: string;
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  readonly maxOutputTokens: number | undefined;
  readonly temperature: number | undefined;
}

/**
 * `counted`: a stream that ends with a token count. `plain`: a stream without it. `whole`: one response without
 * streaming.
 */
export type StreamMode = 'counted' | 'plain' | 'whole';

export interface BodyWriter {
  /** The body in pieces, to be sent in order. Later writes do not change them. */
  write(request: ChatRequest, mode: StreamMode): readonly Buffer[];
}

export function createBodyWriter(settings: BodySettings): BodyWriter {
  let previous = emptyBody(Buffer.alloc(0), 0);
  return {
    write({ messages, tools }, mode) {
      const head = headOf(settings, mode, tools);
      const same = previous.head.equals(head) ? countSame(previous, messages) : 0;
      if (same < previous.messages.length || same === 0) previous = copyPrefix(previous, head, same);
      for (const message of messages.slice(same)) append(previous, message);
      return [previous.bytes.subarray(0, previous.length), TAIL];
    },
  };
}

/** A body in one piece, for a single request. */
export function serialiseRequest(request: ChatRequest, settings: BodySettings, mode: StreamMode): Buffer {
  return Buffer.concat(createBodyWriter(settings).write(request, mode));
}

/** Bytes that a message adds to a body, including the comma before it. */
export function bytesOfMessage(message: ChatMessage): number {
  return messageAsBytes(message).length;
}

export function bytesOfTools(tools: readonly WireTool[]): number {
  return toolsAsBytes(tools).length;
}

/** SHA-256 of tools and messages as JSON, the same for every provider. Reuses the serialised messages. */
export function hashRequest({ messages, tools }: ChatRequest): string {
  const hash = createHash('sha256').update('{"tools":').update(toolsAsBytes(tools)).update(MESSAGES_OPEN);
  for (const [index, message] of messages.entries()) hash.update(bytesAt(message, index));
  return hash.update(TAIL).digest('hex');
}

const TAIL = Buffer.from(']}');

/** A body without its tail. Bytes are only appended, beyond all pieces returned before. */
interface CachedBody {
  readonly head: Buffer;
  bytes: Buffer;
  length: number;
  readonly messages: ChatMessage[];
  /** End offset of each message. */
  readonly ends: number[];
}

function emptyBody(head: Buffer, room: number): CachedBody {
  const bytes = Buffer.allocUnsafeSlow(head.length + room);
  head.copy(bytes);
  return { head, bytes, length: head.length, messages: [], ends: [] };
}

/** A new body with the first `count` messages of another. */
function copyPrefix(body: CachedBody, head: Buffer, count: number): CachedBody {
  const copy = emptyBody(head, body.length);
  const end = body.ends[count - 1] ?? head.length;
  if (count > 0) body.bytes.copy(copy.bytes, 0, 0, end);
  copy.length = end;
  copy.messages.push(...body.messages.slice(0, count));
  copy.ends.push(...body.ends.slice(0, count));
  return copy;
}

/** Number of leading messages that are identical, or equal in their bytes. */
function countSame(body: CachedBody, messages: readonly ChatMessage[]): number {
  let start = body.head.length;
  for (const [index, message] of messages.entries()) {
    const end = body.ends[index];
    if (end === undefined) return index;
    if (body.messages[index] !== message && !bytesAt(message, index).equals(body.bytes.subarray(start, end)))
      return index;
    start = end;
  }
  return messages.length;
}

function append(body: CachedBody, message: ChatMessage): void {
  const added = bytesAt(message, body.messages.length);
  if (body.length + added.length > body.bytes.length) {
    const larger = Buffer.allocUnsafeSlow((body.length + added.length) * 2);
    body.bytes.copy(larger, 0, 0, body.length);
    body.bytes = larger;
  }
  added.copy(body.bytes, body.length);
  body.length += added.length;
  body.messages.push(message);
  body.ends.push(body.length);
}

function headOf(settings: BodySettings, mode: StreamMode, tools: readonly WireTool[]): Buffer {
  const fields = {
    model: settings.model,
    stream: mode !== 'whole',
    ...(mode === 'counted' ? { stream_options: { include_usage: true } } : {}),
    [settings.maxTokensField]: settings.maxOutputTokens,
    temperature: settings.temperature,
  };
  const open = Buffer.from(JSON.stringify(fields).slice(0, -1));
  return Buffer.concat(
    tools.length === 0
      ? [open, MESSAGES_OPEN]
      : [open, TOOLS_OPEN, toolsAsBytes(tools), TOOL_CHOICE, MESSAGES_OPEN],
  );
}

const TOOLS_OPEN = Buffer.from(',"tools":');
const TOOL_CHOICE = Buffer.from(',"tool_choice":"auto"');
const MESSAGES_OPEN = Buffer.from(',"messages":[');

const bytesByMessage = new WeakMap<ChatMessage, Buffer>();
const bytesByTools = new WeakMap<readonly WireTool[], Buffer>();

function bytesAt(message: ChatMessage, index: number): Buffer {
  const bytes = messageAsBytes(message);
  return index === 0 ? bytes.subarray(1) : bytes;
}

/** Includes the comma before it. */
function messageAsBytes(message: ChatMessage): Buffer {
  const known = bytesByMessage.get(message);
  if (known) return known;
  const bytes = Buffer.from(`,${toJson(message)}`);
  bytesByMessage.set(message, bytes);
  return bytes;
}

function toolsAsBytes(tools: readonly WireTool[]): Buffer {
  const known = bytesByTools.get(tools);
  if (known) return known;
  const bytes = Buffer.from(toJson(tools));
  bytesByTools.set(tools, bytes);
  return bytes;
}

/** JSON.stringify writes lone surrogates, which strict parsers reject; truncated text may contain one. */
function toJson(value: object): string {
  const json = JSON.stringify(value);
  if (!json.includes('\\ud')) return json;
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'string' ? Buffer.from(part).toString() : part,
  );
}

/** The size of a request on the wire, almost exact. */
export function requestBytes({ messages, tools }: Pick<ChatRequest, 'messages' | 'tools'>): number {
  return messages.reduce((bytes, message) => bytes + bytesOfMessage(message), bytesOfTools(tools));
}
