/**
 * The messages of the OpenAI-compatible Chat Completions protocol, as far as we send and read them. Only this room and the
 * exit of `prompt` know these shapes.
 */
import type { RequestFacts } from './request-facts.ts';

export type ChatMessage = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

export interface SystemMessage {
  readonly role: 'system';
  readonly content: string;
}

export interface UserMessage {
  readonly role: 'user';
  readonly content: string;
}

/** Fields of the provider's that are unknown to us are kept beside these, and sent back. */
export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: string | null;
  readonly tool_calls?: readonly WireToolCall[];
  readonly reasoning_content?: string;
  readonly [extra: string]: unknown;
}

export interface WireToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
  readonly [extra: string]: unknown;
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
  /** Found out only where somebody asks for them. */
  readonly facts?: (() => Promise<RequestFacts>) | undefined;
}
