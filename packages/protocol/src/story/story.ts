/** What the log of a run or a thread tells a person; `fold-story.ts` makes it from events. */
import type { EventOf } from '../events.ts';
import { NO_USAGE, type RunModel, type Usage } from '../model.ts';
import type { PhaseReason, RunPhase } from '../run.ts';
import { EMPTY_RUN_STATE, type RunState } from '../run-state.ts';
import type { EarlierItems, ItemOf, PendingItem, StoryItem } from './items.ts';
import type { NodeVisit } from './node-visits.ts';

export interface Story {
  runId: string;
  package?: EventOf<'run.created'>['package'];
  workflow?: EventOf<'run.created'>['workflow'];
  model?: RunModel;
  /** The model of the last turn, where the run has several or was resumed with another one. */
  askedModel?: string;
  nodes: Readonly<EventOf<'run.created'>['nodes']>;
  state: RunState;
  /** Items in order; see `StoryItem`. */
  readonly timeline: StoryItem[];
  /** Set if the timeline has only the last items, and those that `pages.ts` says. */
  earlier?: EarlierItems;
  /** The question or approval the run is waiting for. */
  pending?: PendingItem;
  /** Input that has not been sent to the model yet; it is in the timeline as well. */
  queued: readonly ItemOf<'person'>[];
  phase: RunPhase;
  reason?: PhaseReason;
  turns: number;
  /** Start of the last turn. */
  turnStartedAt?: string;
  /** While it has no reply: how long the first data may take. */
  firstByteSeconds?: number;
  /** Tokens of the last request: our estimate until the provider reports a count. */
  requestTokens?: number;
  usage: Usage;
  /** How much of it before the run was last resumed: a limit grants the same amount again. */
  usageBefore: Usage;
  /** Sub-workflows that it called, in the order of the calls. */
  calls: readonly StoryCall[];
  /** For a called run: the call. */
  caller?: EventOf<'run.created'>['call'];
  /** Visits to nodes, in the order they began. */
  readonly visits: NodeVisit[];
  /** Text of the reply in progress. */
  streaming?: { readonly text: string; readonly reasoning: string };
  /** What is stored of a reply that is not complete. It becomes part of the timeline if the turn ends without one. */
  partial?: ItemOf<'reply'>;
  lastSeq: number;
  createdAt?: string;
  updatedAt?: string;
}

/** A call of a sub-workflow; without an outcome it is under way. */
export interface StoryCall {
  readonly nodeId: string;
  readonly childId: string;
  readonly title: string;
  readonly outcome: EventOf<'call.ended'>['outcome'] | undefined;
  /** Its requests, when it has ended. */
  readonly turns?: number | undefined;
}

export function createStory(runId: string): Story {
  return {
    runId,
    nodes: [],
    state: EMPTY_RUN_STATE,
    phase: 'WaitingUser',
    queued: [],
    turns: 0,
    usage: NO_USAGE,
    usageBefore: NO_USAGE,
    calls: [],
    visits: [],
    timeline: [],
    lastSeq: 0,
  };
}
