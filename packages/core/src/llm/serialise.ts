/**
 * Requests as the bytes that travel. What stays the same comes before the messages, a message is serialised once in its
 * life, and the body before is kept: within a node each body repeats it byte for byte, which providers cache, and costs
 * only what is new.
 */
import type { ChatMessage, ChatRequest, WireTool } from './wire.ts';

export interface BodySettings {
  readonly model: string;
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  readonly maxOutputTokens: number | undefined;
  readonly temperature: number | undefined;
}

/** `counted`: a stream that ends in a count of tokens. `plain`: a stream without it. `whole`: one answer in one piece. */
export type StreamMode = 'counted' | 'plain' | 'whole';

export interface BodyWriter {
  /** The body in pieces, to be sent one after the other; they stay as they are, whatever is written later. */
  write(request: ChatRequest, mode: StreamMode): readonly Buffer[];
}

export function createBodyWriter(settings: BodySettings): BodyWriter {
  let kept = emptyBody(Buffer.alloc(0), 0);
  return {
    write({ messages, tools }, mode) {
      const head = headOf(settings, mode, tools);
      const same = kept.head.equals(head) ? countSame(kept, messages) : 0;
      if (same < kept.messages.length || same === 0) kept = beginning(kept, head, same);
      for (const message of messages.slice(same)) append(kept, message);
      return [kept.bytes.subarray(0, kept.length), TAIL];
    },
  };
}

/** A body in one piece, for whoever sends only one. */
export function serialiseRequest(request: ChatRequest, settings: BodySettings, mode: StreamMode): Buffer {
  return Buffer.concat(createBodyWriter(settings).write(request, mode));
}

/** How many bytes a message adds to a body, with the comma before it. */
export function bytesOfMessage(message: ChatMessage): number {
  return messageAsBytes(message).length;
}

export function bytesOfTools(tools: readonly WireTool[]): number {
  return toolsAsBytes(tools).length;
}

const TAIL = Buffer.from(']}');

/** A body without its tail. Bytes are only ever added, in room that no piece given out reaches into. */
interface CachedBody {
  readonly head: Buffer;
  bytes: Buffer;
  length: number;
  readonly messages: ChatMessage[];
  /** Where each message ends. */
  readonly ends: number[];
}

function emptyBody(head: Buffer, room: number): CachedBody {
  const bytes = Buffer.allocUnsafeSlow(head.length + room);
  head.copy(bytes);
  return { head, bytes, length: head.length, messages: [], ends: [] };
}

/** A new body that starts with messages of another. */
function beginning(body: CachedBody, head: Buffer, count: number): CachedBody {
  const copy = emptyBody(head, body.length);
  const end = body.ends[count - 1] ?? head.length;
  if (count > 0) body.bytes.copy(copy.bytes, 0, 0, end);
  copy.length = end;
  copy.messages.push(...body.messages.slice(0, count));
  copy.ends.push(...body.ends.slice(0, count));
  return copy;
}

/** How many messages a body begins with, equal in their bytes if not the very same. */
function countSame(body: CachedBody, messages: readonly ChatMessage[]): number {
  let start = body.head.length;
  for (const [place, message] of messages.entries()) {
    const end = body.ends[place];
    if (end === undefined) return place;
    if (body.messages[place] !== message && !bytesAt(message, place).equals(body.bytes.subarray(start, end)))
      return place;
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
    ...(settings.maxOutputTokens === undefined
      ? {}
      : { [settings.maxTokensField]: settings.maxOutputTokens }),
    ...(settings.temperature === undefined ? {} : { temperature: settings.temperature }),
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

function bytesAt(message: ChatMessage, place: number): Buffer {
  const bytes = messageAsBytes(message);
  return place === 0 ? bytes.subarray(1) : bytes;
}

/** With the comma before it. */
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

/** Half a surrogate pair is legal for us and an error for strict parsers; a text cut in the wrong place may hold one. */
function toJson(value: object): string {
  const json = JSON.stringify(value);
  if (!json.includes('\\ud')) return json;
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'string' ? Buffer.from(part).toString() : part,
  );
}
