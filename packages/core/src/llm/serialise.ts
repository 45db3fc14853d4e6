/**
 * Serialises requests. The constant part comes before the messages, and each message is serialised once: within a node each body
 * extends the previous one byte for byte, which providers cache.
 */

import { createHash, type Hash } from 'node:crypto';
import type { ChatMessage, ChatRequest, PicturedMessage, WireTool } from './wire.ts';

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

/** A request with the bytes of its pictures. */
export interface SentRequest extends Omit<ChatRequest, 'messages'> {
  readonly messages: readonly (ChatMessage | PicturedMessage)[];
}

export function serialiseRequest(
  { messages, tools }: SentRequest,
  settings: BodySettings,
  mode: StreamMode,
): Buffer {
  const fields = {
    model: settings.model,
    stream: mode !== 'whole',
    ...(mode === 'counted' ? { stream_options: { include_usage: true } } : {}),
    [settings.maxTokensField]: settings.maxOutputTokens,
    temperature: settings.temperature,
  };
  return Buffer.concat([
    Buffer.from(JSON.stringify(fields).slice(0, -1)),
    ...(tools.length === 0 ? [] : [TOOLS_OPEN, toolsAsBytes(tools), TOOL_CHOICE]),
    MESSAGES_OPEN,
    ...messages.map(bytesAt),
    TAIL,
  ]);
}

/** A picture counts like a text of this size: providers count about a thousand tokens, whatever the bytes. */
const PICTURE_BYTES = 4_000;

/** Bytes that a message adds to a body, including the comma before it. */
export function bytesOfMessage(message: ChatMessage): number {
  const pictures = message.role === 'user' ? (message.pictures?.length ?? 0) : 0;
  return messageAsBytes(message).length + pictures * PICTURE_BYTES;
}

export function bytesOfTools(tools: readonly WireTool[]): number {
  return toolsAsBytes(tools).length;
}

/** The size of a request on the wire, almost exact. */
export function requestBytes({ messages, tools }: ChatRequest): number {
  return messages.reduce((bytes, message) => bytes + bytesOfMessage(message), bytesOfTools(tools));
}

/**
 * SHA-256 of tools and messages as JSON, the same for every provider. A request that extends the last one with the same first message
 * costs its new messages.
 */
export function hashRequest({ messages, tools }: ChatRequest): string {
  const [first = tools] = messages;
  const known = hashed.get(first);
  const isExtended =
    known?.tools === tools && known.messages.every((message, index) => message === messages[index]);
  const { hash, messages: before } = isExtended ? known : { hash: hashOfTools(tools), messages: [] };
  for (let index = before.length; index < messages.length; index++) {
    const message = messages[index];
    if (message) hash.update(bytesAt(message, index));
  }
  hashed.set(first, { tools, messages: [...messages], hash });
  return hash.copy().update(TAIL).digest('hex');
}

interface HashedRequest {
  readonly tools: ChatRequest['tools'];
  readonly messages: ChatRequest['messages'];
  /** Of everything up to the last message. */
  readonly hash: Hash;
}

/** By the first message: the last request that was hashed. */
const hashed = new WeakMap<object, HashedRequest>();

function hashOfTools(tools: ChatRequest['tools']): Hash {
  return createHash('sha256').update(HASH_OPEN).update(toolsAsBytes(tools)).update(MESSAGES_OPEN);
}

/** What `hashRequest` hashes. */
export function hashedText({ messages, tools }: ChatRequest): Buffer {
  return Buffer.concat([HASH_OPEN, toolsAsBytes(tools), MESSAGES_OPEN, ...messages.map(bytesAt), TAIL]);
}

const HASH_OPEN = Buffer.from('{"tools":');
const TOOLS_OPEN = Buffer.from(',"tools":');
const TOOL_CHOICE = Buffer.from(',"tool_choice":"auto"');
const MESSAGES_OPEN = Buffer.from(',"messages":[');
const TAIL = Buffer.from(']}');

function bytesAt(message: ChatMessage | PicturedMessage, index: number): Buffer {
  const bytes = messageAsBytes(message);
  return index === 0 ? bytes.subarray(1) : bytes;
}

/** Includes the comma before it. */
function messageAsBytes(message: ChatMessage | PicturedMessage): Buffer {
  return cached(message, () => `,${toJson(message)}`);
}

function toolsAsBytes(tools: readonly WireTool[]): Buffer {
  return cached(tools, () => toJson(tools));
}

const serialised = new WeakMap<object, Buffer>();

function cached(value: object, serialise: () => string): Buffer {
  const known = serialised.get(value);
  if (known) return known;
  const bytes = Buffer.from(serialise());
  serialised.set(value, bytes);
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
