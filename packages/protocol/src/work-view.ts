/**
 * The view of a Work: its own log and the logs of its runs, as one timeline. One fold for the live screen and the reloaded one;
 * the order of events of different logs does not matter.
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
  /** The view of its own log; for a conversation, everything outside of runs. */
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

/** Adds an event of the Work or of one of its runs; an event that was already added changes nothing. */
export function addToWorkView(view: WorkView, event: RunEvent): void {
  if (event.runId !== view.workId) {
    addToRunView(viewOfRun(view, event.runId), event);
    return;
  }
  if (event.seq > view.own.lastSeq) view.state = foldConversationState(view.state, event);
  addToRunView(view.own, event);
}

/** The view of the active run, or of the Work's own log. */
export function activeView(view: WorkView): RunView {
  const { activeRunId } = view.state;
  return modeOf(view.state) === 'run' && activeRunId !== undefined ? viewOfRun(view, activeRunId) : view.own;
}

/** An entry and its log: the number of an entry is unique in its own log only. */
export interface WorkItem {
  readonly source: string;
  readonly item: TimelineItem;
}

/** The entries of a run follow the entry where the run was entered, up to where it was entered again. */
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
