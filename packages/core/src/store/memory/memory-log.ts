/** The event log of a Work as a list in memory. */
import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import type { LogPages, LogReading, LogTail, OpenLogOptions, RunLog } from '../work-store.ts';

export interface MemoryLog {
  open(options: OpenLogOptions): RunLog;
  read(onEvent: (event: RunEvent) => void): LogReading;
  /** Differs whenever the log does. */
  mark(): string;
  tail(): LogTail;
  pages(): LogPages;
}

export function createMemoryLog(runId: string, events: readonly RunEvent[] = []): MemoryLog {
  const kept = [...events];
  // Through text, so that readers get what a file would give them.
  const read = (from = 0, to = kept.length): RunEvent[] =>
    kept.slice(from, to).map((event) => JSON.parse(JSON.stringify(event)) as RunEvent);
  return {
    open({ now, onEvent = () => undefined }) {
      for (const event of read()) onEvent(event);
      let isClosed = false;
      // A fact is an event without number and date.
      const toEvent = (seq: number, fact: RunFact): RunEvent =>
        ({ v: 1, seq, ts: now().toISOString(), runId, ...fact }) as RunEvent;
      return {
        get lastSeq() {
          return kept.length;
        },
        brokenAt: undefined,
        append(fact) {
          if (isClosed) throw new Error('the log is closed');
          const event = toEvent(kept.length + 1, fact);
          kept.push(event);
          return event;
        },
        stamp: (fact) => toEvent(kept.length, fact),
        sync: () => Promise.resolve(),
        close() {
          isClosed = true;
          return Promise.resolve();
        },
      };
    },
    read(onEvent) {
      for (const event of read()) onEvent(event);
      return { lastSeq: kept.length, isIntact: true };
    },
    mark: () => String(kept.length),
    tail() {
      let next = 0;
      return {
        async read(onEvent) {
          const found = read(next);
          next += found.length;
          for (const event of found) onEvent(event);
        },
      };
    },
    pages: () => ({
      read: async ({ after, limit }) => ({
        events: read(after, after + limit),
        lastSeq: kept.length,
        isIntact: true,
      }),
    }),
  };
}
