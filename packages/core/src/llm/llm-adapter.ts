/**
 * What the engine knows of a model: ask once, watch the words arrive, get one outcome. A failure is a value, and so is a
 * stop; the promise never rejects for what a provider does. The built-in rehearsal and recordings stand behind the same
 * interface.
 */

import type { ErrorCode } from '@crewagent/protocol/errors';
import type { MessageRules, Prices, Usage } from '@crewagent/protocol/model';
import type { RecordedTools } from './cassette/recorded-tools.ts';
import type { KeyGuard } from './key-guard.ts';
import type { ChatRequest } from './wire.ts';

export interface LLMAdapter {
  readonly traits: ModelTraits;
  chat(request: ChatRequest, watch: ChatWatch): Promise<ChatOutcome>;
  /** Hides this model's key in what is stored and shown of a run or a conversation. Left out by models without keys. */
  readonly keysOf?: ((scope: string) => KeyGuard) | undefined;
  /** Of several models behind one: says which turn comes next, before it is put together. */
  readonly select?: ((turn: TurnPlace) => void) | undefined;
  /** Of a replay: tools that were not built in, with their answers. */
  readonly recorded?: RecordedTools | undefined;
  /** Lets go of connections, so that the process can end. */
  close(): void;
}

/** Whose turn it is, and where. */
export interface TurnPlace {
  readonly agentId: string;
  readonly nodeId: string | undefined;
}

/** What composing a request has to know about the model behind it. */
export interface ModelTraits {
  /** As people call it: `gpt-5-mini`, `rehearsal`. */
  readonly name: string;
  readonly contextTokens: number;
  /** Whether several system messages may be sent; many chat templates refuse a second one. */
  readonly takesSeveralSystemMessages: boolean;
  /** Whether `reasoning_content` of the current node's tool turns must be sent back. */
  readonly wantsReasoningBack: boolean;
  /** May change when the provider complains: `details.messageRules` of the error then says so. Left out by models without a wire. */
  readonly rules?: MessageRules | undefined;
  /** How long the first data of a reply may take. */
  readonly firstByteMs?: number | undefined;
  readonly prices: Prices | undefined;
}

export interface ChatWatch {
  readonly signal: AbortSignal;
  /** The id of the run or conversation that asks. */
  readonly scope?: string | undefined;
  onProgress(progress: ChatProgress): void;
}

export type ChatProgress =
  /** First data of a reply that may take long to begin; it need not be text. */
  | { readonly type: 'started' }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** All that came so far is void; another try follows after the delay. */
  | {
      readonly type: 'retry';
      /** Which try comes next: 2 after the first one failed. */
      readonly attempt: number;
      readonly delayMs: number;
      readonly error: ModelError;
    };

export type ChatOutcome =
  /** `isStreamed` says whether the reply came piece by piece; adapters without a wire leave it out. */
  | { readonly kind: 'reply'; readonly reply: ModelReply; readonly isStreamed?: boolean }
  | { readonly kind: 'failed'; readonly error: ModelError }
  | { readonly kind: 'aborted' };

export interface ModelReply {
  readonly content: string;
  /** In the order of the reply; ids as the provider gave them, possibly empty or repeated. */
  readonly toolCalls: readonly ReplyToolCall[];
  readonly reasoning: string | undefined;
  readonly finishReason: string;
  /** Unknown fields of the assistant message. */
  readonly extra: Readonly<Record<string, unknown>> | undefined;
  readonly usage: Usage | undefined;
}

export interface ReplyToolCall {
  readonly id: string;
  /** On the wire. */
  readonly name: string;
  readonly arguments: string;
  /** The reply was cut off by its length limit inside this call. */
  readonly isCutOff: boolean;
  readonly extra: Readonly<Record<string, unknown>> | undefined;
}

export interface ModelError {
  readonly code: Extract<ErrorCode, `LLM_${string}` | `CASSETTE_${string}`>;
  /** A sentence: what came, and what to do. Never holds a key. */
  readonly message: string;
  /** Trying the same again may help. */
  readonly isRetryable: boolean;
  /** What the provider asks us to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  readonly details?: Readonly<Record<string, unknown>>;
}
