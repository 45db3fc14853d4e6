/**
 * What the page of a conversation needs of the server. The client of the API is put behind this in one place; tests put
 * recorded logs behind it.
 */
import type { ShownConversation } from '@crewagent/protocol/api/conversation-messages';
import type { ConversationState } from '@crewagent/protocol/conversation-state';
import type { ApprovalDecision, RunEvent } from '@crewagent/protocol/events';
import type { RunView } from '@crewagent/protocol/run-view';

/** Of the conversation's own log and of those of its runs. */
export type ConversationMessage =
  /** Takes the place of everything known so far. */
  | { readonly type: 'snapshot'; readonly data: ShownConversation }
  /** Takes the place of what was said outside of runs. */
  | { readonly type: 'talk'; readonly data: { readonly state: ConversationState; readonly view: RunView } }
  /** Takes the place of what is known of one run. */
  | { readonly type: 'run'; readonly data: RunView }
  | { readonly type: 'event'; readonly data: RunEvent }
  /** All that was said so far of the reply that is under way, in the run or talk of this id. */
  | {
      readonly type: 'streaming';
      readonly data: { readonly runId: string; readonly text: string; readonly reasoning: string };
    };

export interface ConversationApi {
  /** Until `signal` is aborted; opened again by itself after a break. */
  readonly follow: (
    conversationId: string,
    options: { readonly signal: AbortSignal; readonly onState: (state: 'open' | 'broken') => void },
  ) => AsyncIterable<ConversationMessage>;
  /** A line as it was typed: words, a number, a command. Resolves when it was accepted. */
  readonly input: (conversationId: string, text: string) => Promise<void>;
  readonly stop: (conversationId: string) => Promise<void>;
  /** Goes on without a word. */
  readonly resume: (conversationId: string) => Promise<void>;
  readonly answer: (
    conversationId: string,
    callId: string,
    answers: Readonly<Record<string, unknown>>,
  ) => Promise<void>;
  readonly approve: (
    conversationId: string,
    callId: string,
    word: { readonly decision: ApprovalDecision; readonly note?: string },
  ) => Promise<void>;
  /** Paths of files that fit what was typed behind an `@`; those of folders end with a slash. */
  readonly findFiles: (
    conversationId: string,
    query: string,
    signal: AbortSignal,
  ) => Promise<readonly string[]>;
}
