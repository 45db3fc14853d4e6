/**
 * The timeline of a run as people see it, entry by entry. What is between the runtime and the model is not in it.
 */
import type { ApprovalDecision } from './events.ts';
import type { UndoneFile } from './journal.ts';
import type { PhaseReason, RunPhase } from './run.ts';
import type { Question } from './tools.ts';

/** When it happened. */
export interface Entry {
  readonly seq: number;
  readonly ts: string;
}

export type TimelineItem = Entry &
  (
    | { readonly kind: 'person'; readonly text: string; readonly nodeId: string | undefined }
    | {
        readonly kind: 'reply';
        readonly text: string;
        readonly reasoning: string | undefined;
        readonly nodeId: string | undefined;
        readonly turn: number;
      }
    | {
        readonly kind: 'tool';
        readonly callId: string;
        readonly name: string;
        readonly arguments: string;
        readonly path: string | undefined;
        readonly status: 'asked' | 'running' | 'ok' | 'failed' | 'refused';
        readonly code: string | undefined;
        readonly durationMs: number | undefined;
        readonly answer: string | undefined;
        readonly nodeId: string | undefined;
      }
    | {
        readonly kind: 'question';
        readonly callId: string;
        readonly questions: readonly Question[];
        readonly answers: Readonly<Record<string, unknown>> | undefined;
      }
    | {
        readonly kind: 'approval';
        readonly callId: string;
        readonly tool: string;
        readonly path: string;
        readonly diff: string;
        readonly decision: ApprovalDecision | undefined;
        readonly note: string | undefined;
      }
    | {
        readonly kind: 'move';
        readonly from: string;
        readonly to: string;
        readonly label: string | undefined;
        readonly notes: readonly string[];
      }
    | { readonly kind: 'artifact'; readonly path: string }
    | { readonly kind: 'undone'; readonly direction: 'undo' | 'redo'; readonly files: readonly UndoneFile[] }
    | { readonly kind: 'phase'; readonly phase: RunPhase; readonly reason: PhaseReason | undefined }
    | {
        readonly kind: 'notice';
        readonly level: 'info' | 'warning' | 'error';
        readonly code: string;
        readonly message: string;
      }
  );

export type ItemOf<Kind extends TimelineItem['kind']> = Extract<TimelineItem, { kind: Kind }>;

/** What a run waits for a person to say. */
export type PendingItem = ItemOf<'question' | 'approval'>;
