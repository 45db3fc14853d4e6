/** The items of a story: what people see of a run or a conversation. Messages between the runtime and the model are not part of it. */
import type { ApprovalDecision, ApprovalReach } from '../approvals.ts';
import type { EventOf, RunEvent } from '../events.ts';
import type { story } from '../texts/en/story.ts';
import type { DescribedAction, ToolEffect, ToolProgress } from '../tools.ts';

/** Number and time of the event that an item began with. */
export interface ItemStamp {
  readonly seq: number;
  readonly ts: string;
  /** Another item shows it as well: a call its approval and its file, a transition its call, a stop its error or first completion. */
  readonly isMerged?: true;
}

/** The requested action of a call, and the person's decision; undefined while they are asked. */
export interface ToolApproval {
  readonly action: DescribedAction;
  readonly decision?: ApprovalDecision;
  readonly reach?: ApprovalReach | undefined;
  readonly note?: string;
  /** Who decided, in a team. */
  readonly by?: string | undefined;
}

/** Fields of the event that an item was made from. */
type Of<Type extends RunEvent['type'], Key extends keyof EventOf<Type>> = Readonly<Pick<EventOf<Type>, Key>>;

export type StoryItem = ItemStamp &
  (
    | { readonly kind: 'person'; readonly text: string; readonly nodeId?: string }
    | {
        readonly kind: 'reply';
        readonly text: string;
        readonly reasoning?: string;
        /** Estimated thinking time: the reasoning's share of the text, applied to the duration of the reply. */
        readonly thoughtMs?: number;
        readonly nodeId?: string;
        readonly turn: number;
        /** The turn ended before the reply was complete: the run was stopped, failed or interrupted. */
        readonly isPartial?: true;
      }
    | {
        readonly kind: 'tool';
        readonly callId: string;
        readonly name: string;
        readonly arguments: string;
        /** The model wrote the call in the text of its reply. */
        readonly isFromText?: true;
        readonly path?: string;
        readonly status: 'asked' | 'running' | 'ok' | 'failed' | 'refused';
        readonly code?: string;
        /** Why the call failed. */
        readonly message?: string;
        readonly durationMs?: number;
        /** Of a running call that says how far it is. */
        readonly progress?: ToolProgress;
        readonly answer?: string;
        /** The effect of the call; until it has ended, the expected one. */
        readonly effect: ToolEffect;
        readonly nodeId?: string;
        /** It wrote an artifact. */
        readonly isArtifact?: true;
        /** The approval the call needed. */
        readonly approval?: ToolApproval;
      }
    | (Of<'question.asked', 'callId' | 'questions'> & {
        readonly kind: 'question';
        readonly answers?: Readonly<Record<string, unknown>>;
      })
    /** `following`: later changes of the same reply that are undecided. */
    | ({ readonly kind: 'approval' } & ToolApproval &
        Of<'approval.requested', 'callId' | 'tool' | 'runsLater' | 'following'>)
    /** `isRewind`: a person rewound the run; `from` and `to` are equal if it only restarts its node. */
    | (Of<'state.changed', 'from' | 'to' | 'label' | 'variables' | 'notes' | 'carry' | 'isRewind'> & {
        readonly kind: 'move';
        /** The call that made the transition. */
        readonly callId?: string;
        /** The model's reason for a decision. */
        readonly reason?: string;
        /** Names of the variables that were removed. */
        readonly unset: readonly string[];
      })
    /** What one sentence says, about a file, a document, an agent or a workflow by the name people know. `id`: the run that ended. */
    | { readonly kind: 'mark'; readonly what: MarkName; readonly name: string; readonly id?: string }
    /** Stands for items that are not loaded; only among the items of a Work. */
    | { readonly kind: 'earlier'; readonly count: number }
    | ({ readonly kind: 'agent' } & Of<'agent.entered', 'agent'>)
    /** `label`: of the matched menu item. */
    | ({ readonly kind: 'command'; readonly command: EventOf<'command.resolved'>['kind'] } & Of<
        'command.resolved',
        'input' | 'reason' | 'label'
      >)
    /** `entriesFor` chooses between the two menus, if there are two. */
    | ({ readonly kind: 'menu' } & Of<'menu.shown', 'entries' | 'surface' | 'elsewhere'>)
    | ({ readonly kind: 'choices' } & Of<'choice.offered', 'reason' | 'candidates'>)
    /** From here on the run's own timeline continues, after this many of its events. */
    | { readonly kind: 'run'; readonly runId: string; readonly afterSeq: number; readonly title: string }
    /** The run came to a node that calls a workflow; the timeline of the called run follows. */
    | { readonly kind: 'call'; readonly nodeId: string; readonly childId: string; readonly title: string }
    | { readonly kind: 'upgraded'; readonly version: string; readonly stale: readonly string[] }
    | ({ readonly kind: 'undone' } & Of<'changes.undone', 'direction' | 'selection' | 'files'>)
    /** `resumedAt`: when the run was resumed from it. */
    | ({ readonly kind: 'phase'; readonly resumedAt?: string } & Of<'phase.changed', 'phase' | 'reason'>)
    | {
        readonly kind: 'notice';
        readonly level: 'info' | 'warning' | 'error';
        readonly code: string;
        readonly message: string;
        /** The rejected transition, if the notice is about one. */
        readonly refused?: { readonly from: string; readonly to: string };
        /** The call whose transition was rejected. */
        readonly callId?: string;
        readonly details?: Readonly<Record<string, unknown>>;
        /** The request is sent again, so many milliseconds after this. */
        readonly retryDelayMs?: number;
      }
  );

/** Each mark has a text of this name. */
export type MarkName = keyof (typeof story)['mark'];

/** Items that are not loaded: the story is complete from the number `before` on. */
export interface EarlierItems {
  readonly before: number;
  readonly count: number;
}

export type ItemOf<Kind extends StoryItem['kind']> = Extract<StoryItem, { kind: Kind }>;

export type ToolItem = ItemOf<'tool'>;

/** What a run waits for. */
export type PendingItem = ItemOf<'question' | 'approval'>;
