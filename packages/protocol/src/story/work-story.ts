/**
 * The view of a Work: its own log and the logs of its runs, as one timeline. One fold for the live screen and the reloaded one;
 * the order of events of different logs does not matter.
 */

import { MAX_CALL_DEPTH } from '../call-depth.ts';
import {
  type ConversationState,
  EMPTY_CONVERSATION_STATE,
  foldConversationState,
  modeOf,
} from '../conversation-state.ts';
import type { RunEvent } from '../events.ts';
import { toStatus } from '../status.ts';
import { addToStory } from './fold-story.ts';
import type { StoryItem } from './items.ts';
import { createStory, type Story, type StoryCall } from './story.ts';

export interface WorkStory {
  readonly workId: string;
  state: ConversationState;
  /** The view of its own log; for a conversation, everything outside of runs. */
  readonly own: Story;
  readonly runs: Map<string, Story>;
}

export function createWorkStory(workId: string): WorkStory {
  return {
    workId,
    state: EMPTY_CONVERSATION_STATE,
    own: createStory(workId),
    runs: new Map(),
  };
}

/** Adds an event of the Work or of one of its runs; an event that was already added changes nothing. */
export function addToWorkStory(view: WorkStory, event: RunEvent): void {
  if (event.runId !== view.workId) {
    addToStory(storyOfRun(view, event.runId), event);
    return;
  }
  if (event.seq > view.own.lastSeq) view.state = foldConversationState(view.state, event);
  addToStory(view.own, event);
}

/** The view of the active run, or of the Work's own log. */
export function activeStory(view: WorkStory): Story {
  const { activeRunId } = view.state;
  return modeOf(view.state) === 'run' && activeRunId !== undefined ? storyOfRun(view, activeRunId) : view.own;
}

/** The innermost active run: the deepest open call of what is active, or what is active itself. */
export function calledStory(view: WorkStory): Story {
  return callPath(view).reduce((_, { run }) => run, activeStory(view));
}

/** An open call. */
export interface CallStep {
  readonly nodeId: string;
  readonly nodeTitle: string;
  /** The run of the workflow that was called. */
  readonly run: Story;
}

/** The open calls, from what is active downwards. */
export function callPath(view: WorkStory): CallStep[] {
  const path: CallStep[] = [];
  let run: Story | undefined = activeStory(view);
  while (run) {
    const call: StoryCall | undefined = openCallOf(run);
    const next: Story | undefined = call && view.runs.get(call.childId);
    if (call && next) {
      const node = run.nodes.find(({ id }) => id === call.nodeId);
      path.push({ nodeId: call.nodeId, nodeTitle: node?.title ?? call.nodeId, run: next });
    }
    // A damaged log must not lead to an endless loop.
    run = path.length > MAX_CALL_DEPTH ? undefined : next;
  }
  return path;
}

/** The call that a run waits for. */
export function openCallOf(run: Story): StoryCall | undefined {
  const last = run.calls.at(-1);
  return last?.outcome === undefined && !toStatus(run).isCompleted ? last : undefined;
}

/** An entry and its log: the number of an entry is unique in its own log only. */
export interface WorkItem {
  readonly source: string;
  readonly item: StoryItem;
  /** How many calls of sub-workflows are above it. */
  readonly depth: number;
}

/**
 * The entries of a run follow the entry where the run was entered, up to where it was entered again; so do those of runs
 * that it called.
 */
export function toWorkItems(view: WorkStory): WorkItem[] {
  const items = loadedItems(view.own);
  const visits = items.filter((item) => item.kind === 'run');
  const own = withCalls(view, view.workId, items, 0);
  return own.flatMap((entry) => {
    const { item } = entry;
    if (item.kind !== 'run') return [entry];
    const next = visits.find(({ runId, seq }) => runId === item.runId && seq > item.seq);
    const until = next?.afterSeq ?? Number.POSITIVE_INFINITY;
    const entries = loadedItems(view.runs.get(item.runId));
    const shown = entries.filter(({ seq }) => seq > item.afterSeq && seq <= until);
    return [entry, ...withCalls(view, item.runId, shown, 0)];
  });
}

/** What is missing before them is one item. */
function loadedItems(story: Story | undefined): readonly StoryItem[] {
  const { timeline = [], earlier } = story ?? {};
  if (!earlier) return timeline;
  const { before: seq, count } = earlier;
  const loaded = timeline.filter((item) => item.seq >= seq);
  return [{ seq, ts: loaded[0]?.ts ?? '', kind: 'earlier', count }, ...loaded];
}

/** The caller's own entries during a call, which are its stops, stand among those of the called run. */
function withCalls(view: WorkStory, source: string, items: readonly StoryItem[], depth: number): WorkItem[] {
  const shown: WorkItem[] = [];
  for (let at = 0; at < items.length; at++) {
    const item = items[at];
    if (!item) continue;
    shown.push({ source, item, depth });
    if (item.kind !== 'call' || depth >= MAX_CALL_DEPTH) continue;
    const { childId } = item;
    const end = items.findIndex(
      (other, index) => index > at && other.kind === 'mark' && other.id === childId,
    );
    const meanwhile = items.slice(at + 1, end === -1 ? items.length : end);
    // Its phases follow from those of its caller.
    const called = loadedItems(view.runs.get(childId)).filter(({ kind }) => kind !== 'phase');
    shown.push(
      ...mergeByTime(
        withCalls(view, childId, called, depth + 1),
        meanwhile.map((other) => ({ source, item: other, depth })),
      ),
    );
    at += meanwhile.length;
  }
  return shown;
}

function mergeByTime(first: readonly WorkItem[], second: readonly WorkItem[]): WorkItem[] {
  const merged: WorkItem[] = [];
  const rest = [...second];
  for (const entry of first) {
    while (rest[0] && rest[0].item.ts < entry.item.ts) merged.push(...rest.splice(0, 1));
    merged.push(entry);
  }
  return [...merged, ...rest];
}

function storyOfRun({ runs }: WorkStory, runId: string): Story {
  const view = runs.get(runId) ?? createStory(runId);
  runs.set(runId, view);
  return view;
}
