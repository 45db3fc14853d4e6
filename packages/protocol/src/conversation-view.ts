/**
 * What a person sees of a conversation: its own log and those of its runs, as one timeline. One fold for the live screen
 * and the reloaded one; the order of events of different logs does not matter.
 */
import {
  type ConversationState,
  EMPTY_CONVERSATION_STATE,
  foldConversationState,
  modeOf,
} from './conversation-state.ts';
import type { RunEvent } from './events.ts';
import { addToRunView, createRunView, type RunView } from './run-view.ts';
import type { TimelineItem } from './timeline.ts';

export interface ConversationView {
  readonly conversationId: string;
  state: ConversationState;
  /** What was said outside of runs. */
  readonly talk: RunView;
  readonly runs: Map<string, RunView>;
}

export function createConversationView(conversationId: string): ConversationView {
  return {
    conversationId,
    state: EMPTY_CONVERSATION_STATE,
    talk: createRunView(conversationId),
    runs: new Map(),
  };
}

/** Takes events of the conversation and of its runs; one that was seen already changes nothing. */
export function addToConversationView(view: ConversationView, event: RunEvent): void {
  if (event.runId !== view.conversationId) {
    addToRunView(viewOfRun(view, event.runId), event);
    return;
  }
  if (event.seq > view.talk.lastSeq) view.state = foldConversationState(view.state, event);
  addToRunView(view.talk, event);
}

/** What is under way now: the run one is in, or the talk. */
export function activeView(view: ConversationView): RunView {
  const { activeRunId } = view.state;
  return modeOf(view.state) === 'run' && activeRunId !== undefined ? viewOfRun(view, activeRunId) : view.talk;
}

/** An entry, and whose: an entry's number is unique only in its own log. */
export interface ConversationItem {
  readonly source: string;
  readonly item: TimelineItem;
}

/** Where a run was entered its entries follow, up to where it was entered again. */
export function toConversationTimeline(view: ConversationView): ConversationItem[] {
  const visits = view.talk.timeline.filter((item) => item.kind === 'run');
  return view.talk.timeline.flatMap((item) => {
    const own = { source: view.conversationId, item };
    if (item.kind !== 'run') return [own];
    const next = visits.find(({ runId, seq }) => runId === item.runId && seq > item.seq);
    const until = next?.afterSeq ?? Number.POSITIVE_INFINITY;
    const entries = view.runs.get(item.runId)?.timeline ?? [];
    const shown = entries.filter(({ seq }) => seq > item.afterSeq && seq <= until);
    return [own, ...shown.map((entry) => ({ source: item.runId, item: entry }))];
  });
}

function viewOfRun({ runs }: ConversationView, runId: string): RunView {
  const view = runs.get(runId) ?? createRunView(runId);
  runs.set(runId, view);
  return view;
}
