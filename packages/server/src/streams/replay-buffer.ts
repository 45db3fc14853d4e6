/** The latest frames of a log, for readers that reconnect; older ones are read from the log again. */
import type { LogTail } from '@crewagent/core';
import type { RunEvent } from '@crewagent/protocol/events';

export interface ReplayBuffer {
  add(frame: LogFrame): void;
  clear(): void;
  /** The frames after `after`; undefined if a snapshot is cheaper or some are not available. */
  replay(after: number): Promise<string | undefined>;
}

interface LogFrame {
  readonly seq: number;
  readonly frame: string;
}

interface ReplaySources {
  /** Opens the log from its beginning. */
  openTail(): LogTail;
  toFrame(event: RunEvent): string;
  /** The last event that readers know. */
  lastSeq(): number;
}

const MAX_STORED = 2_000;
const MAX_STORED_CHARS = 4_000_000;
/** A reader that missed more events than this gets a snapshot. */
const MAX_REPLAYED = 5_000;

export function createReplayBuffer({ openTail, toFrame, lastSeq }: ReplaySources): ReplayBuffer {
  const buffer: LogFrame[] = [];
  let bufferedChars = 0;

  /** The buffered frames after `after`; undefined if some are no longer buffered. */
  const framesAfter = (after: number): string | undefined => {
    if (after === lastSeq()) return '';
    const [first] = buffer;
    if (after > lastSeq() || !first || first.seq > after + 1) return undefined;
    return join(buffer.filter(({ seq }) => seq > after));
  };
  return {
    add(entry) {
      buffer.push(entry);
      bufferedChars += entry.frame.length;
      while (buffer.length > MAX_STORED || (bufferedChars > MAX_STORED_CHARS && buffer.length > 1))
        bufferedChars -= buffer.shift()?.frame.length ?? 0;
    },
    clear() {
      buffer.length = 0;
      bufferedChars = 0;
    },
    async replay(after) {
      const buffered = framesAfter(after);
      if (buffered !== undefined || after > lastSeq() || lastSeq() - after > MAX_REPLAYED) return buffered;
      const missed: LogFrame[] = [];
      await openTail().read((event) => {
        if (event.seq > after) missed.push({ seq: event.seq, frame: toFrame(event) });
      });
      // More events may have been added meanwhile.
      const last = missed.at(-1)?.seq ?? after;
      const rest = last >= lastSeq() ? '' : framesAfter(last);
      if (rest === undefined) return undefined;
      return join(missed.filter(({ seq }) => seq <= lastSeq())) + rest;
    },
  };
}

function join(frames: readonly LogFrame[]): string {
  return frames.map(({ frame }) => frame).join('');
}
