/**
 * The engine's interface to a model: one request, streamed progress, one outcome. Failures and aborts are values; the
 * promise never rejects because of a provider. The rehearsal and recordings implement the same interface.
 */

import type { ErrorCode } from '@crewagent/protocol/errors';
import type { MessageRules, ModelSize, Prices, Usage } from '@crewagent/protocol/model';
import type { ChatRequest, WireTool } from './wire.ts';

export interface LLMAdapter {
  readonly traits: ModelTraits;
  chat(request: ChatRequest, watch: ChatWatch): Promise<ChatOutcome>;
  /** Its API keys, which are hidden in stored and shown data of a run or a conversation. */
  readonly apiKeys?: readonly string[] | undefined;
  /** Of a routed model: selects the model of the next turn, before its request is composed. */
  readonly select?: ((turn: TurnContext) => void) | undefined;
  /** Of a replay: recorded tools that are not built in, with their results. */
  readonly recorded?: RecordedTools | undefined;
  /** Closes connections, so that the process can exit. */
  close(): void;
}

/** Recorded tools that are not built in, with the results of their calls: a replay starts no server. */
export interface RecordedTools {
  /** In the order of their first appearance. */
  readonly tools: readonly WireTool[];
  /** By call id. */
  readonly answers: ReadonlyMap<string, string>;
}

/** Agent and node of a turn. */
export interface TurnContext {
  readonly agentId: string;
  readonly nodeId: string | undefined;
}

/** Properties of a model that composing a request depends on. */
export interface ModelTraits {
  /** Display name: `gpt-5-mini`, `rehearsal`. */
  readonly name: string;
  readonly contextTokens: number;
  /** Whether several system messages may be sent; many chat templates reject a second one. */
  readonly takesSeveralSystemMessages: boolean;
  /** Whether `reasoning_content` of the current node's tool turns must be sent back. */
  readonly wantsReasoningBack: boolean;
  /**
   * May change after a provider error, which then has `details.messageRules`. Undefined for models without a
   * provider.
   */
  readonly rules?: MessageRules | undefined;
  /** Timeout for the first data of a reply. */
  readonly firstByteMs?: number | undefined;
  readonly prices?: Prices | undefined;
  /** `small`: shorter rules and fewer tools at once. Undefined: as the run goes. */
  readonly size?: ModelSize | undefined;
  /** A stand-in that never forgets a call: if its reply has none, it stops on purpose. */
  readonly stopsOnPurpose?: boolean | undefined;
  /** Another agent: it has files tools and a conversation of its own, and is given texts, never a request. */
  readonly isHost?: boolean | undefined;
}

export interface ChatWatch {
  readonly signal: AbortSignal;
  /** Id of the run or conversation of the request. */
  readonly scope?: string | undefined;
  /** A longer wait that the provider asks for is a failure; default: an hour. */
  readonly maxWaitMs?: number | undefined;
  /** Called before each request that follows a wait. Throws if another process has continued the run meanwhile. */
  readonly settle?: (() => Promise<void>) | undefined;
  onProgress(progress: ChatProgress): void;
}

export type ChatProgress =
  /** First data of a reply that may take long to begin; it need not be text. */
  | { readonly type: 'started' }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** Everything received so far is discarded; another attempt follows after the delay. */
  | {
      readonly type: 'retry';
      /** Number of the next attempt: 2 after the first one failed. */
      readonly attempt: number;
      readonly delayMs: number;
      readonly error: ModelError;
    }
  /** The request is sent again with another key, named by the person. */
  | { readonly type: 'key'; readonly from: string; readonly to: string; readonly error: ModelError };

export type ChatOutcome =
  /** `isStreamed`: whether the reply arrived in chunks; undefined for adapters without a provider. */
  | { readonly kind: 'reply'; readonly reply: ModelReply; readonly isStreamed?: boolean }
  | { readonly kind: 'failed'; readonly error: ModelError }
  | { readonly kind: 'aborted' };

export interface ModelReply {
  readonly content: string;
  /** In the order of the reply; ids as the provider sent them, possibly empty or duplicated. */
  readonly toolCalls: readonly ReplyToolCall[];
  readonly reasoning?: string | undefined;
  readonly finishReason: string;
  /** Unknown fields of the assistant message. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
  readonly usage?: Usage | undefined;
}

export interface ReplyToolCall {
  readonly id: string;
  /** Name as sent to the provider. */
  readonly name: string;
  readonly arguments: string;
  /** The reply was cut off by its length limit inside this call. */
  readonly isCutOff: boolean;
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

export interface ModelError {
  readonly code: Extract<ErrorCode, `LLM_${string}` | `CASSETTE_${string}`>;
  /** What happened and what to do. Never contains a key. */
  readonly message: string;
  /** A retry of the same request may help. */
  readonly isRetryable: boolean;
  /** The key was refused or has no quota left: another key of the same model may help. */
  readonly isAboutKey?: boolean;
  /** Delay the provider asks for, in milliseconds. */
  readonly retryAfterMs?: number;
  readonly details?: Readonly<Record<string, unknown>>;
}

const WORDS_PER_CHUNK = 4;

/** Streams a complete text in chunks, as a provider would. Stops on abort. The chunks joined are the text. */
export function streamText(
  type: 'text' | 'reasoning',
  text: string,
  { signal, onProgress }: ChatWatch,
): void {
  const words = text.match(/\S+\s*|\s+/g) ?? [];
  for (let at = 0; at < words.length && !signal.aborted; at += WORDS_PER_CHUNK) {
    onProgress({ type, text: words.slice(at, at + WORDS_PER_CHUNK).join('') });
  }
}
