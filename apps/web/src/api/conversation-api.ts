/**
 * What the page of a conversation needs of the server. The client of the API is put behind this in one place; tests put
 * recorded logs behind it.
 */

import type { ApprovalWord } from '@crewagent/protocol/approvals';
import type { MenuEntry } from '@crewagent/protocol/commands';
import type { ConversationMessage } from '../state/conversation-message.ts';

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
  readonly approve: (conversationId: string, callId: string, word: ApprovalWord) => Promise<void>;
  /**
   * Paths that fit what was typed behind an `@`: in the project, else with their mount (`@pkg/…`). Those of folders end with a
   * slash.
   */
  readonly findFiles: (
    conversationId: string,
    query: string,
    signal: AbortSignal,
  ) => Promise<readonly string[]>;
  /** Whom one talks to, and who answers. What has none of it takes words only: a run without a conversation. */
  readonly partner?: PartnerApi;
}

export interface PartnerApi {
  /** What the agent's menu offers here. */
  readonly menu: (conversationId: string, signal: AbortSignal) => Promise<readonly MenuEntry[]>;
  readonly setModel: (conversationId: string, model: string) => Promise<void>;
  readonly turnTo: (conversationId: string, partner: NewPartner) => Promise<void>;
}

/** An agent, a workflow that is begun, or nobody in particular. */
export type NewPartner =
  | { readonly kind: 'agent'; readonly packageHash: string; readonly agent: string }
  | { readonly kind: 'workflow'; readonly packageHash: string; readonly workflow: string }
  | { readonly kind: 'chat' };

/** It was understood and could not be done. The reason stands in the story already; nothing changed. */
export class NotTaken extends Error {
  override readonly name = 'NotTaken';
  readonly code: string;

  constructor({ code, message }: { readonly code: string; readonly message: string }) {
    super(message);
    this.code = code;
  }
}
