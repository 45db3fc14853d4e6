/**
 * What the page of a Work needs of the server. The client of the API is put behind this in one place; tests put
 * recorded logs behind it.
 */

import type { ApprovalResponse } from '@crewagent/protocol/approvals';
import type { MenuEntry } from '@crewagent/protocol/commands';
import type { ApprovalPreset } from '@crewagent/protocol/tools';
import type { StoryMessage } from '../state/story-message.ts';

export interface WorkApi {
  /** Until `signal` is aborted; opened again by itself after a break. */
  readonly follow: (
    workId: string,
    options: { readonly signal: AbortSignal; readonly onState: (state: 'open' | 'broken') => void },
  ) => AsyncIterable<StoryMessage>;
  /** A line as it was typed: words, a number, a command. Resolves when it was accepted. */
  readonly input: (workId: string, text: string) => Promise<void>;
  /** Takes back a message that waits for the next turn. */
  readonly withdraw: (workId: string, inputSeq: number) => Promise<void>;
  readonly stop: (workId: string) => Promise<void>;
  /** Goes on without a word. */
  readonly resume: (workId: string) => Promise<void>;
  /** Goes on without the sub-workflow that is called. */
  readonly skip?: (workId: string) => Promise<void>;
  readonly answer: (
    workId: string,
    callId: string,
    answers: Readonly<Record<string, unknown>>,
  ) => Promise<void>;
  readonly approve: (workId: string, callId: string, word: ApprovalResponse) => Promise<void>;
  /**
   * Paths that fit what was typed behind an `@`: in the project, else with their mount (`@pkg/…`). Those of folders end with a
   * slash.
   */
  readonly findFiles: (workId: string, query: string, signal: AbortSignal) => Promise<readonly string[]>;
  /** What it may do without asking; undefined where that cannot be changed. */
  readonly setApproval?: (workId: string, approval: ApprovalPreset) => Promise<void>;
  /** Whom one talks to, and who answers; a run by itself takes words only. */
  readonly binding?: AgentBindingApi;
}

export interface AgentBindingApi {
  /** What the agent's menu offers here. */
  readonly menu: (workId: string, signal: AbortSignal) => Promise<readonly MenuEntry[]>;
  readonly setModel: (workId: string, model: string) => Promise<void>;
  readonly turnTo: (workId: string, binding: NewAgentBinding) => Promise<void>;
}

/** An agent, a workflow that is begun, or nobody in particular. */
export type NewAgentBinding =
  | { readonly kind: 'agent'; readonly packageHash: string; readonly agent: string }
  | { readonly kind: 'workflow'; readonly packageHash: string; readonly workflow: string }
  | { readonly kind: 'chat' };

/** It was understood and could not be done. The reason stands in the story already; nothing changed. */
export class RejectedError extends Error {
  override readonly name = 'NotTaken';
  readonly code: string;

  constructor({ code, message }: { readonly code: string; readonly message: string }) {
    super(message);
    this.code = code;
  }
}
