/**
 * Messages between the server and a host of Works, which may be another thread. They are copied, so they contain data only.
 */
import type {
  ConversationRequest,
  OpenRunWork,
  OpenWork,
  Session,
  SessionStop,
  StartRequest,
} from '@crewagent/core';
import type { RunEvent } from '@crewagent/protocol/events';

/** A Work to create, or an existing one to open; `model` replaces its model. */
export type OpenRequest =
  | {
      readonly create: StartRequest | ConversationRequest;
      /** Of workers that may execute it, where there are workers. */
      readonly labels?: readonly string[] | undefined;
    }
  | { readonly workId: string; readonly model: string | undefined };

/** Everything that a run and a conversation can do; each rejects what it does not support. */
export type Commands = Pick<
  OpenRunWork & Session,
  | 'start'
  | 'input'
  | 'withdraw'
  | 'answer'
  | 'approve'
  | 'waive'
  | 'skipCall'
  | 'stop'
  | 'stopQuestion'
  | 'resume'
  | 'enterAgent'
  | 'dismissAgent'
  | 'startWorkflow'
  | 'setModel'
  | 'close'
>;

/** What the server knows of an open Work without asking. */
export interface WorkState {
  readonly record: OpenWork['record'];
  readonly isRunning: boolean;
  readonly activeRunId: string | undefined;
  readonly stop: SessionStop;
}

/** What the server asks an open Work for. */
export interface Questions {
  pending(): OpenWork['pending'];
  changes(workId: string): ReturnType<OpenWork['changes']>;
}

export type HostRequest =
  | { readonly kind: 'open'; readonly id: number; readonly request: OpenRequest }
  | {
      readonly kind: 'call';
      readonly id: number;
      /** The `id` of the request that opened it. */
      readonly work: number;
      readonly method: keyof Commands | keyof Questions;
      readonly args: readonly unknown[];
      /** The argument that gets an `onAccepted`. */
      readonly acceptAt: number;
    };

export type HostReply =
  /** Belongs to no request. `name`: of an internal error. */
  | { readonly kind: 'bug'; readonly name: string; readonly error: SentError }
  | { readonly kind: 'warning'; readonly message: string }
  | { readonly kind: 'works'; readonly replies: readonly WorkReply[] };

/** `state` is sent if it has changed. */
export type WorkReply =
  | {
      readonly kind: 'event';
      readonly work: number;
      readonly event: RunEvent;
      readonly state: WorkState | undefined;
    }
  | {
      readonly kind: 'accepted' | 'done';
      readonly id: number;
      readonly value: unknown;
      readonly state: WorkState | undefined;
    }
  | {
      readonly kind: 'failed';
      readonly id: number;
      readonly error: SentError;
      readonly state: WorkState | undefined;
    };

export interface SentError {
  /** For a `CrewError`. */
  readonly code?: string | undefined;
  readonly message: string;
  readonly details?: Record<string, unknown> | undefined;
  readonly stack?: string | undefined;
}

/** A `MessagePort`, or a `Worker` as its parent sees it. */
export interface Port<Sent, Received> {
  postMessage(message: Sent): void;
  on(event: 'message', listener: (message: Received) => void): unknown;
}
