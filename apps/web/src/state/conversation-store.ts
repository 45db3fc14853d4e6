/**
 * A conversation as it is on the screen: a snapshot and events, folded, and told at most once a frame. Words that are being
 * written are told apart from the rest: a hundred a second draw one paragraph anew, and nothing else.
 */
import { addWorkMessage, toRunView, toWorkView } from '@crewagent/protocol/api/work-messages';
import type { ConversationState } from '@crewagent/protocol/conversation-state';
import { isDelta } from '@crewagent/protocol/event-kinds';
import type { RunView } from '@crewagent/protocol/run-view';
import {
  activeView,
  addToWorkView,
  calledView,
  callPath,
  createWorkView,
  toWorkTimeline,
  type WorkItem,
  type WorkView,
} from '@crewagent/protocol/work-view';
import type { StoryMessage } from './story-message.ts';

/** Never changed: another one takes its place. */
export interface ConversationPicture {
  readonly state: ConversationState;
  readonly timeline: readonly WorkItem[];
  /** What is under way: the run one is in, or its own log. */
  readonly active: Readonly<RunView>;
  /** The run of a sub-workflow that is under way, as deep as calls go; else what is active. */
  readonly called: Readonly<RunView>;
  /** The steps that lead down to it. */
  readonly callPath: readonly { readonly nodeId: string; readonly title: string; readonly runId: string }[];
  /** What its own log tells: of a conversation what was said outside of runs. */
  readonly own: Readonly<RunView>;
  readonly runs: ReadonlyMap<string, Readonly<RunView>>;
  /** Nothing is known yet. */
  readonly isEmpty: boolean;
}

/** What is being said and thought right now. */
export type Words = NonNullable<RunView['streaming']>;

/** Something that changes, and tells when it did. */
export interface Observable<Value> {
  readonly read: () => Value;
  readonly subscribe: (listener: () => void) => () => void;
}

export interface ConversationStore {
  readonly take: (message: StoryMessage) => void;
  /** Of `called.streaming` it knows that there is some, and how it began. */
  readonly picture: Observable<ConversationPicture>;
  readonly words: Observable<Words | undefined>;
}

export interface StoreOptions {
  /** Calls back before the next paint. */
  readonly schedule?: (publish: () => void) => void;
}

export function createConversationStore(workId: string, options: StoreOptions = {}): ConversationStore {
  const { schedule = beforeNextPaint } = options;
  let view = createWorkView(workId);
  const picture = createObservable(toPicture(view));
  const words = createObservable<Words | undefined>(undefined);
  let isScheduled = false;
  let isPictureOld = false;

  const publish = (): void => {
    const { streaming } = calledView(view);
    const isOld =
      isPictureOld || (streaming === undefined) !== (picture.read().called.streaming === undefined);
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

function createObservable<Value>(first: Value): Observable<Value> & { readonly set: (value: Value) => void } {
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
function toPicture(view: WorkView): ConversationPicture {
  return {
    state: view.state,
    timeline: toWorkTimeline(view),
    active: { ...activeView(view) },
    called: { ...calledView(view) },
    callPath: callPath(view).map(({ nodeId, nodeTitle, run }) => ({
      nodeId,
      title: nodeTitle,
      runId: run.runId,
    })),
    own: { ...view.own },
    runs: new Map([...runsOf(view)].map(([id, run]) => [id, { ...run }])),
    isEmpty: view.own.lastSeq === 0 && view.runs.size === 0,
  };
}

/** Also a run by itself. */
function runsOf({ workId, own, runs }: WorkView): ReadonlyMap<string, RunView> {
  return own.nodes.length === 0 ? runs : new Map([[workId, own], ...runs]);
}

function addMessage(view: WorkView, message: StoryMessage): WorkView {
  switch (message.type) {
    case 'snapshot':
      return toWorkView(message.data);
    case 'own':
      return addWorkMessage(view, {
        type: 'snapshot',
        data: { ...message.data, seq: message.data.view.lastSeq },
      });
    case 'run':
      setRun(view, message.data);
      return view;
    case 'event':
      addToWorkView(view, message.data);
      return view;
    case 'streaming':
      setStreaming(view, message.data);
      return view;
  }
}

/** What came another way meanwhile may be newer. */
function setRun({ runs }: WorkView, run: RunView): void {
  if ((runs.get(run.runId)?.lastSeq ?? 0) > run.lastSeq) return;
  runs.set(run.runId, toRunView(run));
}

function setStreaming(
  view: WorkView,
  { runId, text, reasoning }: { runId: string; text: string; reasoning: string },
): void {
  const target = runId === view.workId ? view.own : view.runs.get(runId);
  if (target) target.streaming = { text, reasoning };
}
