/**
 * Joins the deltas of a reply that arrive within one frame of a screen: a fast model sends thousands a second, and each costs a
 * write here and a task in every window. The first after a pause is accepted at once, and all of them before any other event.
 */
import { isTextDelta, joinDeltas, type TextDelta } from '@crewagent/protocol/event-kinds';
import type { RunEvent } from '@crewagent/protocol/events';

const FRAME_MS = 16;

export function createJoinedDeltas(accept: (event: RunEvent) => void) {
  let waiting: TextDelta | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** Accepts what is waiting now. */
  const flush = (): void => {
    const joined = waiting;
    waiting = undefined;
    if (joined) accept(joined);
  };
  const tick = (): void => {
    timer = waiting && setTimeout(tick, FRAME_MS).unref();
    flush();
  };
  return {
    flush,
    accept(event: RunEvent): void {
      if (!isTextDelta(event)) {
        flush();
        accept(event);
        return;
      }
      const joined = waiting && joinDeltas(waiting, event);
      if (!joined) flush();
      waiting = joined ?? event;
      if (!timer) tick();
    },
    close: (): void => clearTimeout(timer),
  };
}
