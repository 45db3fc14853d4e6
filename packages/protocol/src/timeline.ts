/**
 * The timeline of a run or a conversation as people see it, entry by entry. What is between the runtime and the model is not in it.
 */

import type { ApprovalDecision, ApprovalReach } from './approvals.ts';
import type { ChoiceCandidate, MenuEntry, TargetSurface } from './commands.ts';
import type { EnteredAgent } from './conversation.ts';
import type { EventOf } from './events.ts';
import type { UndoneFile } from './journal.ts';
import type { PhaseReason, RunPhase } from './run.ts';
import type { DescribedAction, Question, RunsLater, ToolEffect } from './tools.ts';

/** When it happened. */
export interface Entry {
  readonly seq: number;
  readonly ts: string;
}

/** What a call wants to do, and what a person said to it; no decision while they are asked. */
export interface ToolApproval {
  readonly action: DescribedAction;
  readonly decision: ApprovalDecision | undefined;
  readonly reach?: ApprovalReach | undefined;
  readonly note: string | undefined;
}

export type TimelineItem = Entry &
  (
    | { readonly kind: 'person'; readonly text: string; readonly nodeId: string | undefined }
    | {
        readonly kind: 'reply';
        readonly text: string;
        readonly reasoning: string | undefined;
        /** About how long it thought: of the time the reply took, the share that its thoughts have of its words. */
        readonly thoughtMs?: number;
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
        /** Why it did not work. */
        readonly message: string | undefined;
        readonly durationMs: number | undefined;
        readonly answer: string | undefined;
        /** What it did; until it has ended, as far as that can be told. */
        readonly effect: ToolEffect;
        readonly nodeId: string | undefined;
        /** The word of a person that it needed. */
        readonly approval?: ToolApproval;
      }
    | {
        readonly kind: 'question';
        readonly callId: string;
        readonly questions: readonly Question[];
        readonly answers: Readonly<Record<string, unknown>> | undefined;
      }
    | ({
        readonly kind: 'approval';
        readonly callId: string;
        readonly tool: string;
        readonly runsLater?: RunsLater;
      } & ToolApproval)
    | {
        readonly kind: 'move';
        readonly from: string;
        readonly to: string;
        readonly label: string | undefined;
        /** As the model gave it for a decision. */
        readonly reason: string | undefined;
        /** What was set on the way, and the names of what was taken away. */
        readonly variables: Readonly<Record<string, unknown>>;
        readonly unset: readonly string[];
        readonly notes: readonly string[];
        /** What the model noted for later nodes. */
        readonly carry?: string;
        /** A person took the run back; `from` and `to` are the same where it only begins its node again. */
        readonly isRewind?: true;
      }
    | { readonly kind: 'artifact'; readonly path: string }
    /** A document or an instruction that goes with a command, by the name a person knows it by. */
    | { readonly kind: 'errand'; readonly purpose: 'data' | 'directive'; readonly label: string }
    | { readonly kind: 'consent' }
    | { readonly kind: 'agent'; readonly agent: EnteredAgent }
    /** The name is that of the card it was met with. */
    | { readonly kind: 'dismissed'; readonly agentId: string; readonly name?: string }
    | {
        readonly kind: 'command';
        readonly input: string;
        readonly command: EventOf<'command.resolved'>['kind'];
        readonly reason: string;
        /** The item of the menu it met, as people see it there. */
        readonly label?: string;
      }
    /** `entriesFor` chooses between the two menus, where there are two. */
    | {
        readonly kind: 'menu';
        readonly entries: readonly MenuEntry[];
        readonly surface?: TargetSurface;
        readonly elsewhere?: readonly MenuEntry[];
      }
    | { readonly kind: 'choices'; readonly reason: string; readonly candidates: readonly ChoiceCandidate[] }
    | {
        readonly kind: 'info';
        readonly topic: EventOf<'info.shown'>['topic'];
        readonly details: Readonly<Record<string, unknown>>;
      }
    /** From here on the run's own timeline goes on, behind this many of its events. */
    | { readonly kind: 'run'; readonly runId: string; readonly afterSeq: number; readonly title: string }
    | { readonly kind: 'run-left'; readonly runId: string }
    | { readonly kind: 'script'; readonly path: string; readonly isOver: boolean }
    | { readonly kind: 'undone'; readonly direction: 'undo' | 'redo'; readonly files: readonly UndoneFile[] }
    | { readonly kind: 'phase'; readonly phase: RunPhase; readonly reason: PhaseReason | undefined }
    | {
        readonly kind: 'notice';
        readonly level: 'info' | 'warning' | 'error';
        readonly code: string;
        readonly message: string;
        /** The move that was not allowed, where it is about one. */
        readonly refused?: { readonly from: string; readonly to: string };
      }
  );

export type ItemOf<Kind extends TimelineItem['kind']> = Extract<TimelineItem, { kind: Kind }>;

/** What a run waits for a person to say. */
export type PendingItem = ItemOf<'question' | 'approval'>;
