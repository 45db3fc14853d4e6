/**
 * The state of one conversation on the screen: a fold over a snapshot and events, published at most once per frame. Streaming
 * text is published separately, so that a hundred deltas a second re-render one paragraph and nothing else.
 */
import { addWorkMessage, type ShownWork, toStory, toWorkStory } from '@crewagent/protocol/api/work-messages';
import type { ConversationState } from '@crewagent/protocol/conversation-state';
import { isTextDelta } from '@crewagent/protocol/event-kinds';
import type { RunEvent } from '@crewagent/protocol/events';
import { type Status, toStatus } from '@crewagent/protocol/status';
import { addPage, type ItemPage, keepLoaded } from '@crewagent/protocol/story/pages';
import type { Story } from '@crewagent/protocol/story/story';
import {
  activeStory,
  addToWorkStory,
  calledStory,
  callPath,
  createWorkStory,
  toWorkItems,
  type WorkItem,
  type WorkStory,
} from '@crewagent/protocol/story/work-story';
import { createStore } from 'zustand/vanilla';

/** Immutable: each update replaces it. */
export interface ConversationPicture {
  readonly state: ConversationState;
  readonly timeline: readonly WorkItem[];
  /** The active run, or the conversation's own log. */
  readonly active: ShownStory;
  /** The deepest called run that is active; equal to `active` without one. */
  readonly called: ShownStory;
  /** The nodes that lead to the called run, outermost first. */
  readonly callPath: readonly { readonly nodeId: string; readonly title: string; readonly runId: string }[];
  /** From the conversation's own log: for a conversation, the messages outside runs. */
  readonly own: ShownStory;
  /** Includes `own` if this Work is itself a run. */
  readonly runs: ReadonlyMap<string, ShownStory>;
  /** No event has arrived yet. */
  readonly isEmpty: boolean;
}

/** The reply and reasoning that are streaming right now. */
export type Words = NonNullable<Story['streaming']>;

/** A value that changes and notifies its listeners. */
export interface Observable<Value> {
  readonly read: () => Value;
  readonly subscribe: (listener: () => void) => () => void;
}

export interface ConversationStore {
  readonly take: (message: StoryMessage) => void;
  /** Its `called.streaming` holds only the first delta; `words` has the current text. */
  readonly picture: Observable<ConversationPicture>;
  readonly words: Observable<Words | undefined>;
}

export interface StoreOptions {
  /** Calls back before the next paint. */
  readonly schedule?: (publish: () => void) => void;
}

export function createConversationStore(workId: string, options: StoreOptions = {}): ConversationStore {
  const { schedule = beforeNextPaint } = options;
  let view = createWorkStory(workId);
  const picture = createObservable(toPicture(view));
  const words = createObservable<Words | undefined>(undefined);
  let isScheduled = false;
  let isPictureOld = false;

  const publish = (): void => {
    const { streaming } = calledStory(view);
    const isOld =
      isPictureOld || (streaming === undefined) !== (picture.read().called.streaming === undefined);
    // Reset before listeners run: a listener may add another message.
    isScheduled = false;
    isPictureOld = false;
    if (isOld) picture.set(toPicture(view));
    const shown = pace(words.read(), streaming);
    words.set(shown);
    if (shown?.text.length !== streaming?.text.length) publishSoon();
  };
  const publishSoon = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    schedule(publish);
  };

  return {
    take: (message) => {
      view = addMessage(view, message);
      // Streaming text is in `words`.
      isPictureOld ||=
        message.type !== 'streaming' && !(message.type === 'event' && isTextDelta(message.data));
      publishSoon();
    },
    picture,
    words,
  };
}

/** Characters of a reply that one frame draws: about a heading with a table, so that no task is long. */
const MOST_AT_ONCE = 240;

/**
 * Text that arrived in one piece, because the machine or the network was busy, is shown over some frames: the more is left, the more of it.
 */
function pace(shown: Words | undefined, next: Words | undefined): Words | undefined {
  if (!shown || !next) return next;
  const left = next.text.length - shown.text.length;
  if (left <= MOST_AT_ONCE) return next;
  const end = shown.text.length + Math.max(MOST_AT_ONCE, Math.ceil(left / 4));
  // Not between the halves of a character.
  const text = next.text.slice(0, /[\ud800-\udbff]/.test(next.text.charAt(end - 1)) ? end + 1 : end);
  return { ...next, text };
}

function createObservable<Value>(first: Value) {
  const { getState, setState, subscribe } = createStore<Value>(() => first);
  return { read: getState, subscribe, set: (value: Value): void => setState(value, true) };
}

/** An invisible page is never painted, but the title and notifications depend on the store: a timer publishes there. */
function beforeNextPaint(publish: () => void): void {
  const run = (): void => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    publish();
  };
  const frame = requestAnimationFrame(run);
  const timer = setTimeout(run, UNSEEN_MS);
}

const UNSEEN_MS = 250;

/** The fold mutates its views; React needs immutable copies. */
export function toPicture(view: WorkStory): ConversationPicture {
  const own = toShownStory(view.own);
  const runs = [...view.runs].map(([id, run]) => [id, toShownStory(run)] as const);
  return {
    state: view.state,
    timeline: toWorkItems(view),
    active: toShownStory(activeStory(view)),
    called: toShownStory(calledStory(view)),
    callPath: callPath(view).map(({ nodeId, nodeTitle, run }) => ({
      nodeId,
      title: nodeTitle,
      runId: run.runId,
    })),
    own,
    runs: new Map(own.workflow ? [[view.workId, own], ...runs] : runs),
    isEmpty: view.own.lastSeq === 0 && view.runs.size === 0,
  };
}

function addMessage(view: WorkStory, message: StoryMessage): WorkStory {
  switch (message.type) {
    case 'snapshot':
      return toWorkStory(message.data);
    case 'own':
      return addWorkMessage(view, {
        type: 'snapshot',
        data: {
          state: message.data.state,
          view: keepLoaded(view.own, message.data.view),
          seq: message.data.view.lastSeq,
        },
      });
    case 'earlier': {
      const story = storyOf(view, message.runId);
      if (story) addPage(story, message.page, message.before);
      return view;
    }
    case 'run':
      setRun(view, message.data);
      return view;
    case 'event':
      addToWorkStory(view, message.data);
      return view;
    case 'streaming':
      setStreaming(view, message.data);
      return view;
  }
}

/** Ignores a run that is older than the one known: events may have arrived meanwhile. */
function setRun({ runs }: WorkStory, run: Story): void {
  const known = runs.get(run.runId);
  if ((known?.lastSeq ?? 0) > run.lastSeq) return;
  runs.set(run.runId, toStory(known ? keepLoaded(known, run) : run));
}

function storyOf({ workId, own, runs }: WorkStory, runId: string): Story | undefined {
  return runId === workId ? own : runs.get(runId);
}

function setStreaming(
  view: WorkStory,
  { runId, text, reasoning }: { runId: string; text: string; reasoning: string },
): void {
  const target = storyOf(view, runId);
  if (target) target.streaming = { text, reasoning };
}

/** A run or a thread, which has no workflow, as the page shows it: the folded view with its status, derived once per update. */
export interface ShownStory extends Readonly<Story> {
  readonly status: Status;
}

export function toShownStory(view: Readonly<Story>): ShownStory {
  return { ...view, status: toStatus(view) };
}

/** From the Work's own log and from the logs of its runs. */
export type StoryMessage =
  /** Replaces everything. */
  | { readonly type: 'snapshot'; readonly data: ShownWork }
  /** Replaces what is known from the Work's own log. */
  | { readonly type: 'own'; readonly data: { readonly state: ConversationState; readonly view: Story } }
  /** Replaces what is known of one run. */
  | { readonly type: 'run'; readonly data: Story }
  /** Items before those that are loaded of one log. */
  | {
      readonly type: 'earlier';
      readonly runId: string;
      /** The number that the page was requested with. */
      readonly before: number;
      readonly page: ItemPage;
    }
  | { readonly type: 'event'; readonly data: RunEvent }
  /** The complete text so far of the reply that is streaming in the log with this id. */
  | {
      readonly type: 'streaming';
      readonly data: { readonly runId: string; readonly text: string; readonly reasoning: string };
    };
