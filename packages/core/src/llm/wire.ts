/**
 * Message types of the OpenAI-compatible Chat Completions protocol, as far as we use them. Only `llm` and the output
 * of `prompt` know these shapes.
 */
import type { Picture } from '@crewagent/protocol/pictures';
import type { EffectKind } from '@crewagent/protocol/tools';
import type { RequestFacts } from './request-facts.ts';
import type { UserPart } from './user-parts.ts';

export type ChatMessage = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

export interface SystemMessage {
  readonly role: 'system';
  readonly content: string;
}

export interface UserMessage {
  readonly role: 'user';
  readonly content: string;
  /** The texts that were joined to `content`; never sent. Undefined if they are not known. */
  readonly parts?: readonly UserPart[];
  /** For a model that takes pictures. Their bytes are added when the request is sent (`picture-parts`). */
  readonly pictures?: readonly Picture[];
}

/** A user message with pictures, as it is sent. */
export interface PicturedMessage {
  readonly role: 'user';
  readonly content: readonly (
    | { readonly type: 'text'; readonly text: string }
    | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }
  )[];
}

/** Provider-specific parts are in `stored`; `toProviderMessages` decides which of them are sent. */
export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: string | null;
  readonly tool_calls?: readonly WireToolCall[];
  readonly reasoning_content?: string;
  readonly stored?: StoredParts;
  readonly [extra: string]: unknown;
}

/** Parts of a stored reply that belong to the provider it came from. */
export interface StoredParts {
  /** Host and name of the model; undefined in logs of earlier versions. */
  readonly origin: string | undefined;
  readonly reasoning: string | undefined;
  /** Unknown fields of the message and of its calls, in order. */
  readonly fields: Readonly<Record<string, unknown>> | undefined;
  readonly callFields: readonly (Readonly<Record<string, unknown>> | undefined)[];
}

export interface WireToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
  /** Never sent. */
  readonly facts?: CallFacts;
  readonly [extra: string]: unknown;
}

/** What a call is about, for readers other than the model. */
export interface CallFacts {
  readonly effect: EffectKind;
  /** The path, search text or node of its arguments, as the model wrote it. */
  readonly subject: string | undefined;
}

export interface ToolMessage {
  readonly role: 'tool';
  readonly tool_call_id: string;
  readonly content: string;
}

export interface WireTool {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Readonly<Record<string, unknown>>;
  };
}

export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly WireTool[];
  /** Computed only on demand. */
  readonly facts?: (() => Promise<RequestFacts>) | undefined;
  /** The bytes of a picture; undefined if they are gone. */
  readonly loadPicture?: ((picture: Picture) => Promise<Uint8Array | undefined>) | undefined;
}
