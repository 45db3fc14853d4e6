/**
 * What a person sees of a Work: its own log and those of the runs it was in, as one timeline. One fold for the live screen
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

export interface WorkView {
  readonly workId: string;
  state: ConversationState;
  /** What its own log tells: of a conversation what was said outside of runs. */
  readonly own: RunView;
  readonly runs: Map<string, RunView>;
}

export function createWorkView(workId: string): WorkView {
  return {
    workId,
    state: EMPTY_CONVERSATION_STATE,
    own: createRunView(workId),
    runs: new Map(),
  };
}

/** Takes events of the Work and of its runs; one that was seen already changes nothing. */
export function addToWorkView(view: WorkView, event: RunEvent): void {
  if (event.runId !== view.workId) {
    addToRunView(viewOfRun(view, event.runId), event);
    return;
  }
  if (event.seq > view.own.lastSeq) view.state = foldConversationState(view.state, event);
  addToRunView(view.own, event);
}

/** What is under way now: the run one is in, or its own log. */
export function activeView(view: WorkView): RunView {
  const { activeRunId } = view.state;
  return modeOf(view.state) === 'run' && activeRunId !== undefined ? viewOfRun(view, activeRunId) : view.own;
}

/** An entry, and whose: an entry's number is unique only in its own log. */
export interface WorkItem {
  readonly source: string;
  readonly item: TimelineItem;
}

/** Where a run was entered its entries follow, up to where it was entered again. */
export function toWorkTimeline(view: WorkView): WorkItem[] {
  const visits = view.own.timeline.filter((item) => item.kind === 'run');
  return view.own.timeline.flatMap((item) => {
    const own = { source: view.workId, item };
    if (item.kind !== 'run') return [own];
    const next = visits.find(({ runId, seq }) => runId === item.runId && seq > item.seq);
    const until = next?.afterSeq ?? Number.POSITIVE_INFINITY;
    const entries = view.runs.get(item.runId)?.timeline ?? [];
    const shown = entries.filter(({ seq }) => seq > item.afterSeq && seq <= until);
    return [own, ...shown.map((entry) => ({ source: item.runId, item: entry }))];
  });
}

function viewOfRun({ runs }: WorkView, runId: string): RunView {
  const view = runs.get(runId) ?? createRunView(runId);
  runs.set(runId, view);
  return view;
}
