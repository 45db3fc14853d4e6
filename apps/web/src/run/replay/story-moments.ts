/**
 * A Work as it was after each of its events: the fold of the events up to there. Checkpoints make any moment of a long log as cheap
 * as a short one: a slider is dragged over thousands of events.
 */
import type { RunEvent } from '@crewagent/protocol/events';
import type { Story } from '@crewagent/protocol/story/story';
import { addToWorkStory, createWorkStory, type WorkStory } from '@crewagent/protocol/story/work-story';

export interface StoryMoments {
  /** Folds the next events and returns whether some are left; in parts, so that the page stays responsive. */
  readonly prepare: (count: number) => boolean;
  /** The Work after the event at this position. Its stories belong to the caller. */
  readonly at: (index: number) => WorkStory;
}

/** A fold of this many events takes about a millisecond. */
const EVENTS_PER_CHECKPOINT = 200;

export function createStoryMoments(workId: string, events: readonly RunEvent[]): StoryMoments {
  /** The first one is before the first event. */
  const checkpoints: WorkStory[] = [createWorkStory(workId)];

  /** Folds up to the end of the part that `checkpoints[part]` begins. */
  const addPart = (part: number): boolean => {
    const known = checkpoints[part];
    const first = part * EVENTS_PER_CHECKPOINT;
    if (!known || first + EVENTS_PER_CHECKPOINT > events.length) return false;
    const story = copyOf(known);
    for (const event of events.slice(first, first + EVENTS_PER_CHECKPOINT)) addToWorkStory(story, event);
    checkpoints.push(story);
    return true;
  };

  return {
    prepare: (count) => {
      const wanted = checkpoints.length + Math.ceil(count / EVENTS_PER_CHECKPOINT);
      while (checkpoints.length < wanted) if (!addPart(checkpoints.length - 1)) return false;
      return true;
    },
    at: (index) => {
      const end = Math.min(index + 1, events.length);
      const part = Math.floor(end / EVENTS_PER_CHECKPOINT);
      while (checkpoints.length <= part) addPart(checkpoints.length - 1);
      const story = copyOf(checkpoints[part] ?? createWorkStory(workId));
      for (const event of events.slice(part * EVENTS_PER_CHECKPOINT, end)) addToWorkStory(story, event);
      return story;
    },
  };
}

/** The fold replaces items and visits, and mutates the lists that hold them. */
function copyOf({ workId, state, own, runs }: WorkStory): WorkStory {
  const copy = (story: Story): Story => ({
    ...story,
    timeline: [...story.timeline],
    visits: [...story.visits],
  });
  return {
    workId,
    state,
    own: copy(own),
    runs: new Map([...runs].map(([runId, run]) => [runId, copy(run)])),
  };
}
