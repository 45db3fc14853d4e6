/** Plays the events of a replay: advances with the time that passed between them, within limits. */

interface PlayerParts {
  /** Milliseconds between an event and the next one. */
  readonly gapAfter: (index: number) => number;
  readonly read: () => { readonly index: number; readonly total: number; readonly speed: number };
  readonly seek: (index: number) => void;
  /** The end was reached. */
  readonly stop: () => void;
}

export function createPlayer({ gapAfter, read, seek, stop }: PlayerParts) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let spentMs = 0;
  let lastMs = 0;
  const tick = (): void => {
    const nowMs = performance.now();
    const { index, total, speed } = read();
    spentMs += (nowMs - lastMs) * speed;
    lastMs = nowMs;
    let next = index;
    while (next < total - 1) {
      const gap = Math.min(Math.max(gapAfter(next) || 0, SHORTEST_MS), LONGEST_MS);
      if (gap > spentMs) break;
      spentMs -= gap;
      next++;
    }
    if (next !== index) seek(next);
    if (next >= total - 1) stop();
    else timer = setTimeout(tick, FRAME_MS);
  };
  return {
    play: (): void => {
      clearTimeout(timer);
      spentMs = 0;
      lastMs = performance.now();
      timer = setTimeout(tick, FRAME_MS);
    },
    pause: (): void => clearTimeout(timer),
  };
}

/** Hours of waiting are not replayed, and no event is too short to be seen. */
const LONGEST_MS = 1_500;
const SHORTEST_MS = 60;
const FRAME_MS = 40;
