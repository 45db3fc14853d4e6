/** What the log of a run or a thread tells a person; `fold-story.ts` makes it from events. */
import type { EventOf } from '../events.ts';
import { NO_USAGE, type RunModel, type Usage } from '../model.ts';
import type { PhaseReason, RunPhase } from '../run.ts';
import { EMPTY_RUN_STATE, type RunState } from '../run-state.ts';
import type { NodeType } from '../workflow.ts';
import type { EarlierItems, ItemOf, PendingItem, StoryItem } from './items.ts';
import type { NodeVisit } from './node-visits.ts';

export interface Story {
  runId: string;
  package: { readonly name: string; readonly version: string; readonly hash: string } | undefined;
  workflow: { readonly ref: string; readonly title: string } | undefined;
  model: RunModel | undefined;
  /** The model of the last turn, where the run has several or was resumed with another one. */
  askedModel: string | undefined;
  nodes: readonly { readonly id: string; readonly title: string; readonly type: NodeType }[];
  state: RunState;
  /** Items in order; see `StoryItem`. */
  readonly timeline: StoryItem[];
  /** Set if the timeline has only the last items, and those that `pages.ts` says. */
  earlier?: EarlierItems | undefined;
  /** The question or approval the run is waiting for. */
  pending: PendingItem | undefined;
  /** Input that has not been sent to the model yet; it is in the timeline as well. */
  queued: readonly ItemOf<'person'>[];
  phase: RunPhase;
  reason: PhaseReason | undefined;
  turns: number;
  /** Start of the last turn. */
  turnStartedAt: string | undefined;
  /** While it has no reply: how long the first data may take. */
  firstByteSeconds: number | undefined;
  /** Tokens of the last request: our estimate until the provider reports a count. */
  requestTokens: number | undefined;
  usage: Usage;
  /** Sub-workflows that it called, in the order of the calls. */
  calls: readonly StoryCall[];
  /** For a called run: the call. */
  caller: EventOf<'run.created'>['call'];
  /** Visits to nodes, in the order they began. */
  readonly visits: NodeVisit[];
  /** Text of the reply in progress. */
  streaming: { readonly text: string; readonly reasoning: string } | undefined;
  /** What is stored of a reply that is not complete. It becomes part of the timeline if the turn ends without one. */
  partial: ItemOf<'reply'> | undefined;
  lastSeq: number;
  createdAt: string | undefined;
  updatedAt: string | undefined;
}

/** A call of a sub-workflow; without an outcome it is under way. */
export interface StoryCall {
  readonly nodeId: string;
  readonly childId: string;
  readonly title: string;
  readonly outcome: EventOf<'call.ended'>['outcome'] | undefined;
}

export function createStory(runId: string): Story {
  return {
    runId,
    package: undefined,
    workflow: undefined,
    model: undefined,
    askedModel: undefined,
    nodes: [],
    state: EMPTY_RUN_STATE,
    phase: 'WaitingUser',
    reason: undefined,
    queued: [],
    pending: undefined,
    turns: 0,
    turnStartedAt: undefined,
    firstByteSeconds: undefined,
    requestTokens: undefined,
    usage: NO_USAGE,
    calls: [],
    caller: undefined,
    visits: [],
    timeline: [],
    streaming: undefined,
    partial: undefined,
    lastSeq: 0,
    createdAt: undefined,
    updatedAt: undefined,
  };
}
