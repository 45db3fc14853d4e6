/**
 * The server as the page of a Work needs it. `createWorkApi` implements it with the API client; tests implement it with
 * recorded logs.
 */

import type { CallOptions } from '@crewagent/protocol/api/client';
import type { ApprovalResponse } from '@crewagent/protocol/approvals';
import type { MenuEntry } from '@crewagent/protocol/commands';
import type { RunEvent } from '@crewagent/protocol/events';
import type { WaiveRequest } from '@crewagent/protocol/proof';
import type { ItemPage } from '@crewagent/protocol/story/pages';
import type { ApprovalPreset } from '@crewagent/protocol/tools';
import type { StoryMessage } from '../state/conversation-store.ts';

export interface WorkApi {
  /** Streams until `signal` is aborted; reconnects after a broken connection. */
  readonly follow: (
    workId: string,
    options: { readonly signal: AbortSignal; readonly onState: (state: 'open' | 'broken') => void },
  ) => AsyncIterable<StoryMessage>;
  /** A page of stored events of a log, after a number. */
  readonly log: (
    workId: string,
    after: number,
  ) => Promise<{ readonly events: readonly RunEvent[]; readonly lastSeq: number }>;
  /** Items of a log before a number. */
  readonly earlier: (workId: string, before: number, limit?: number) => Promise<ItemPage>;
  /** Sends a line as typed: a message, a number or a command. Resolves when it was accepted. */
  readonly input: (workId: string, text: string) => Promise<void>;
  /** Removes a queued message before the next turn. */
  readonly withdraw: (workId: string, inputSeq: number) => Promise<void>;
  readonly stop: (workId: string) => Promise<void>;
  /** Skips the question of a call and stops, without a turn. */
  readonly stopQuestion: (workId: string, callId: string) => Promise<void>;
  /** Resumes without a message. */
  readonly resume: (workId: string) => Promise<void>;
  /** Continues without the called sub-workflow. */
  readonly skip?: (workId: string) => Promise<void>;
  /** Lets the run leave its step without a check, or without all that are missing; then it continues. */
  readonly waive?: (workId: string, waiver: WaiveRequest) => Promise<void>;
  readonly answer: (
    workId: string,
    callId: string,
    answers: Readonly<Record<string, unknown>>,
  ) => Promise<void>;
  readonly approve: (workId: string, callId: string, response: ApprovalResponse) => Promise<void>;
  /**
   * Paths that match what was typed after `@`: relative to the project, or with their mount (`@pkg/…`). Folders end with a
   * slash.
   */
  readonly findFiles: (workId: string, query: string, signal: AbortSignal) => Promise<readonly string[]>;
  /** Stores a file in the project and returns its mount path; undefined where nothing can be stored. */
  readonly attach?: (file: File) => Promise<string>;
  /** Removes an attached file again; it can be undone in Files. */
  readonly detach?: (path: string) => Promise<void>;
  /** Changes what the Work may do without approval; undefined if that cannot be changed. */
  readonly setApproval?: (workId: string, approval: ApprovalPreset) => Promise<void>;
  /** Agent, workflow and model of the conversation; undefined for a run without a conversation. */
  readonly binding?: AgentBindingApi;
}

export interface AgentBindingApi {
  /** Entries of the agent's menu on this surface. */
  readonly menu: (workId: string, call: CallOptions) => Promise<readonly MenuEntry[]>;
  readonly setModel: (workId: string, model: string) => Promise<void>;
  readonly turnTo: (workId: string, binding: NewAgentBinding) => Promise<void>;
}

/** An agent, a workflow to start, or a chat without an agent. */
export type NewAgentBinding =
  | { readonly kind: 'agent'; readonly packageHash: string; readonly agent: string }
  | { readonly kind: 'workflow'; readonly packageHash: string; readonly workflow: string }
  | { readonly kind: 'chat' };

/** The command was understood but rejected. The timeline already shows the reason; nothing changed. */
export class RejectedError extends Error {
  override readonly name = 'RejectedError';
  readonly code: string;

  constructor({ code, message }: { readonly code: string; readonly message: string }) {
    super(message);
    this.code = code;
  }
}
