/**
 * A conversation as it is on the screen: a snapshot and events, folded, and told at most once a frame. A hundred deltas a
 * second cost one render a frame; a delta never makes the timeline anew.
 */

import type { ConversationState } from '@crewagent/protocol/conversation-state';
import {
  activeView,
  addToConversationView,
  type ConversationItem,
  type ConversationView,
  createConversationView,
  toConversationTimeline,
} from '@crewagent/protocol/conversation-view';
import { isDelta } from '@crewagent/protocol/event-kinds';
import { createRunView, type RunView } from '@crewagent/protocol/run-view';
import type { ConversationMessage, ConversationSnapshot } from '../api/conversation-api.ts';

/** Never changed: another one takes its place. */
export interface ConversationPicture {
  readonly state: ConversationState;
  readonly timeline: readonly ConversationItem[];
  /** What is under way: the run one is in, or the talk. */
  readonly active: Readonly<RunView>;
  readonly runs: ReadonlyMap<string, Readonly<RunView>>;
  /** Nothing is known yet. */
  readonly isEmpty: boolean;
}

export interface ConversationStore {
  readonly take: (message: ConversationMessage) => void;
  readonly picture: () => ConversationPicture;
  readonly subscribe: (listener: () => void) => () => void;
}

export interface StoreOptions {
  /** Calls back before the next paint. */
  readonly schedule?: (publish: () => void) => void;
}

export function createConversationStore(
  conversationId: string,
  options: StoreOptions = {},
): ConversationStore {
  const { schedule = (publish) => requestAnimationFrame(publish) } = options;
  let view = createConversationView(conversationId);
  let picture = toPicture(view, undefined);
  let isScheduled = false;
  let isTimelineOld = false;
  const listeners = new Set<() => void>();

  const publish = (): void => {
    isScheduled = false;
    picture = toPicture(view, isTimelineOld ? undefined : picture);
    isTimelineOld = false;
    for (const listener of listeners) listener();
  };

  return {
    take: (message) => {
      if (message.type === 'snapshot') view = fromSnapshot(conversationId, message.data);
      else if (message.type === 'event') addToConversationView(view, message.data);
      else setStreaming(view, message.data);
      isTimelineOld ||= message.type === 'snapshot' || (message.type === 'event' && !isDelta(message.data));
      if (isScheduled) return;
      isScheduled = true;
      schedule(publish);
    },
    picture: () => picture,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The fold changes its views in place; a screen needs what stays as it is. */
function toPicture(view: ConversationView, before: ConversationPicture | undefined): ConversationPicture {
  const active = { ...activeView(view) };
  if (before) return { ...before, active };
  return {
    state: view.state,
    timeline: toConversationTimeline(view),
    active,
    runs: new Map([...view.runs].map(([id, run]) => [id, { ...run }])),
    isEmpty: view.talk.lastSeq === 0,
  };
}

function fromSnapshot(conversationId: string, { state, talk, runs }: ConversationSnapshot): ConversationView {
  return {
    conversationId,
    state,
    talk: complete(talk),
    runs: new Map(Object.entries(runs).map(([id, run]) => [id, complete(run)])),
  };
}

/** JSON leaves out what is undefined. */
function complete(view: RunView): RunView {
  return { ...createRunView(view.runId), ...view, timeline: [...view.timeline] };
}

function setStreaming(
  view: ConversationView,
  { runId, text, reasoning }: { runId: string; text: string; reasoning: string },
): void {
  const target = runId === view.conversationId ? view.talk : view.runs.get(runId);
  if (target) target.streaming = { text, reasoning };
}
