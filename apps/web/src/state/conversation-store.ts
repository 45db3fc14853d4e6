/**
 * A conversation as it is on the screen: a snapshot and events, folded, and told at most once a frame. Words that are being
 * written are told apart from the rest: a hundred a second draw one paragraph anew, and nothing else.
 */
import { addConversationMessage, toConversationView } from '@crewagent/protocol/api/conversation-messages';
import { addRunMessage } from '@crewagent/protocol/api/run-messages';
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
import type { RunView } from '@crewagent/protocol/run-view';
import type { ConversationMessage } from './conversation-message.ts';

/** Never changed: another one takes its place. */
export interface ConversationPicture {
  readonly state: ConversationState;
  readonly timeline: readonly ConversationItem[];
  /** What is under way: the run one is in, or the talk. */
  readonly active: Readonly<RunView>;
  /** What was said outside of runs. */
  readonly talk: Readonly<RunView>;
  readonly runs: ReadonlyMap<string, Readonly<RunView>>;
  /** Nothing is known yet. */
  readonly isEmpty: boolean;
}

/** What is being said and thought right now. */
export type Words = NonNullable<RunView['streaming']>;

/** Something that changes, and tells when it did. */
export interface Told<Value> {
  readonly read: () => Value;
  readonly subscribe: (listener: () => void) => () => void;
}

export interface ConversationStore {
  readonly take: (message: ConversationMessage) => void;
  /** Of `active.streaming` it knows that there is some, and how it began. */
  readonly picture: Told<ConversationPicture>;
  readonly words: Told<Words | undefined>;
}

export interface StoreOptions {
  /** Calls back before the next paint. */
  readonly schedule?: (publish: () => void) => void;
}

export function createConversationStore(
  conversationId: string,
  options: StoreOptions = {},
): ConversationStore {
  const { schedule = beforeNextPaint } = options;
  let view = createConversationView(conversationId);
  const picture = createTold(toPicture(view));
  const words = createTold<Words | undefined>(undefined);
  let isScheduled = false;
  let isPictureOld = false;

  const publish = (): void => {
    const { streaming } = activeView(view);
    const isOld =
      isPictureOld || (streaming === undefined) !== (picture.read().active.streaming === undefined);
    // Before anybody is told: who listens may bring more.
    isScheduled = false;
    isPictureOld = false;
    if (isOld) picture.set(toPicture(view));
    words.set(streaming);
  };

  return {
    take: (message) => {
      view = addMessage(view, message);
      isPictureOld ||= message.type !== 'streaming' && !(message.type === 'event' && isDelta(message.data));
      if (isScheduled) return;
      isScheduled = true;
      schedule(publish);
    },
    picture,
    words,
  };
}

function createTold<Value>(first: Value): Told<Value> & { readonly set: (value: Value) => void } {
  let current = first;
  const listeners = new Set<() => void>();
  return {
    read: () => current,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    set: (value) => {
      current = value;
      for (const listener of listeners) listener();
    },
  };
}

/** A page that is not seen is not painted; it is told all the same, since it tells others. */
function beforeNextPaint(publish: () => void): void {
  const tell = (): void => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    publish();
  };
  const frame = requestAnimationFrame(tell);
  const timer = setTimeout(tell, UNSEEN_MS);
}

const UNSEEN_MS = 250;

/** The fold changes its views in place; a screen needs what stays as it is. */
function toPicture(view: ConversationView): ConversationPicture {
  return {
    state: view.state,
    timeline: toConversationTimeline(view),
    active: { ...activeView(view) },
    talk: { ...view.talk },
    runs: new Map([...runsOf(view)].map(([id, run]) => [id, { ...run }])),
    isEmpty: view.talk.lastSeq === 0 && view.runs.size === 0,
  };
}

/** A run that belongs to no conversation is all there is of one. */
function runsOf({ conversationId, talk, runs }: ConversationView): ReadonlyMap<string, RunView> {
  return talk.nodes.length === 0 ? runs : new Map([[conversationId, talk]]);
}

function addMessage(view: ConversationView, message: ConversationMessage): ConversationView {
  switch (message.type) {
    case 'snapshot':
      return toConversationView(message.data);
    case 'talk':
      return addConversationMessage(view, {
        type: 'snapshot',
        data: { ...message.data, seq: message.data.view.lastSeq },
      });
    case 'run':
      setRun(view, message.data);
      return view;
    case 'event':
      addToConversationView(view, message.data);
      return view;
    case 'streaming':
      setStreaming(view, message.data);
      return view;
  }
}

/** What came another way meanwhile may be newer. */
function setRun({ runs }: ConversationView, run: RunView): void {
  if ((runs.get(run.runId)?.lastSeq ?? 0) > run.lastSeq) return;
  runs.set(run.runId, addRunMessage(undefined, { type: 'snapshot', data: { view: run, seq: run.lastSeq } }));
}

function setStreaming(
  view: ConversationView,
  { runId, text, reasoning }: { runId: string; text: string; reasoning: string },
): void {
  const target = runId === view.conversationId ? view.talk : view.runs.get(runId);
  if (target) target.streaming = { text, reasoning };
}
