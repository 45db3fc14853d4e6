/**
 * The replay of a Work: loads its logs, shows it as it was after one of their events, and plays on from there. Loaded when a replay
 * is opened. Without a screen: the bar and the screen subscribe to it.
 */
import type { RunEvent } from '@crewagent/protocol/events';
import { addPage, PAGE_ITEMS, toLastPage, toPage } from '@crewagent/protocol/story/pages';
import type { Story } from '@crewagent/protocol/story/story';
import type { WorkStory } from '@crewagent/protocol/story/work-story';
import { createStore } from 'zustand/vanilla';
import type { WorkApi } from '../../api/work-api.ts';
import { toMoment } from '../../navigation/moment.ts';
import { type ConversationPicture, toPicture } from '../../state/conversation-store.ts';
import { toError } from '../../ui/errors/error-texts.ts';
import type { LoadEarlier } from '../load-earlier.ts';
import { createPlayer } from './create-player.ts';
import { findMoment, isDecision, mergeLogs } from './merge-logs.ts';
import { readLogs } from './read-logs.ts';
import { createStoryMoments, type StoryMoments } from './story-moments.ts';

export const SPEEDS = [1, 4, 16, 64] as const;
export type Speed = (typeof SPEEDS)[number];

export interface ReplayState {
  /** Undefined while the logs are loading; then the Work as it was. */
  readonly picture: ConversationPicture | undefined;
  /** Number of events; while they are loading, of those that have arrived. */
  readonly total: number;
  /** Position of the last event that is shown. */
  readonly index: number;
  readonly event: RunEvent | undefined;
  readonly isPlaying: boolean;
  readonly speed: Speed;
  /** The logs could not be read. */
  readonly issue: Error | undefined;
}

export type Replay = ReturnType<typeof createReplay>;

export interface ReplayOptions {
  readonly api: Pick<WorkApi, 'log'>;
  readonly workId: string;
  /** Where it begins; see `toMoment`. */
  readonly moment: string;
}

export function createReplay({ api, workId, moment }: ReplayOptions) {
  const { getState, setState, subscribe } = createStore<ReplayState>(() => NOT_LOADED);
  const closing = new AbortController();
  let events: readonly RunEvent[] = [];
  let moments: StoryMoments | undefined;
  /** All items of the moment, and those that are shown. */
  let whole: WorkStory | undefined;
  let shown: WorkStory | undefined;

  const seek = (wanted: number): void => {
    if (!moments) return;
    const index = Math.min(Math.max(0, wanted), events.length - 1);
    whole = moments.at(index);
    shown = toLastItems(whole);
    setState({ picture: toPicture(shown), index, event: events[index] });
  };
  const load = async (): Promise<void> => {
    const { signal } = closing;
    const onProgress = (total: number): void => setState({ total });
    events = mergeLogs(await readLogs({ api, workId, signal, onProgress }));
    const prepared = createStoryMoments(workId, events);
    while (prepared.prepare(EVENTS_AT_ONCE)) {
      await nextTask();
      signal.throwIfAborted();
    }
    moments = prepared;
    setState({ total: events.length });
    seek(findMoment(events, workId, moment));
  };
  const player = createPlayer({
    gapAfter: (index) => Date.parse(events[index + 1]?.ts ?? '') - Date.parse(events[index]?.ts ?? ''),
    read: getState,
    seek,
    stop: () => setState({ isPlaying: false }),
  });
  const findDecision = (from: number, step: 1 | -1): number | undefined => {
    for (let at = from + step; at >= 0 && at < events.length; at += step) {
      const event = events[at];
      if (event && isDecision(event)) return at;
    }
    return undefined;
  };
  const pause = (): void => {
    player.pause();
    setState({ isPlaying: false });
  };

  load().catch((error: unknown) => {
    if (!closing.signal.aborted) setState({ issue: toError(error) });
  });

  return {
    read: getState,
    subscribe,
    seek: (index: number): void => {
      pause();
      seek(index);
    },
    play: (): void => {
      if (!moments) return;
      if (getState().index >= events.length - 1) seek(0);
      setState({ isPlaying: true });
      player.play();
    },
    pause,
    setSpeed: (speed: Speed): void => setState({ speed }),
    /** Position of the nearest decision after or before the moment. */
    decisionFrom: (step: 1 | -1): number | undefined => findDecision(getState().index, step),
    /** Positions of the events that a step of the run began with. */
    stepStarts: (): readonly number[] =>
      events.flatMap((event, at) =>
        event.type === 'run.created' || (event.type === 'state.changed' && event.from !== event.to)
          ? [at]
          : [],
      ),
    momentOf: (event: RunEvent): string => toMoment(event, workId),
    /** Events of one log up to the moment. */
    eventsOf: (runId: string): readonly RunEvent[] =>
      events.slice(0, getState().index + 1).filter((event) => event.runId === runId),
    loadEarlier: ((runId, limit = PAGE_ITEMS) => {
      const [from, to] = [storyOf(whole, runId), storyOf(shown, runId)];
      if (from && to?.earlier && shown) {
        addPage(to, toPage(from, to.earlier.before, limit), to.earlier.before);
        setState({ picture: toPicture(shown) });
      }
      return Promise.resolve();
    }) satisfies LoadEarlier,
    close: (): void => {
      player.pause();
      closing.abort();
    },
  };
}

const NOT_LOADED: ReplayState = {
  picture: undefined,
  total: 0,
  index: 0,
  event: undefined,
  isPlaying: false,
  speed: 1,
  issue: undefined,
};

/** Folded between two frames. */
const EVENTS_AT_ONCE = 1_000;

function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}

/** The last items of each story: a drag renders no more than a page. */
function toLastItems({ workId, state, own, runs }: WorkStory): WorkStory {
  const paged = (story: Story): Story => {
    const page = toLastPage(story);
    return page === story ? { ...story, timeline: [...story.timeline] } : page;
  };
  return {
    workId,
    state,
    own: paged(own),
    runs: new Map([...runs].map(([runId, run]) => [runId, paged(run)])),
  };
}

function storyOf(work: WorkStory | undefined, runId: string): Story | undefined {
  return work?.workId === runId ? work.own : work?.runs.get(runId);
}
