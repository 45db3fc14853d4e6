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
  // As text, so that readers get what a file would give them.
  const lines = events.map((event) => JSON.stringify(event));
  const read = (from = 0, to = lines.length): RunEvent[] =>
    lines.slice(from, to).map((line) => JSON.parse(line) as RunEvent);
  return {
    open({ now, onEvent = () => undefined }) {
      for (const event of read()) onEvent(event);
      let isClosed = false;
      // A fact is an event without number and date.
      const toEvent = (seq: number, fact: RunFact): RunEvent =>
        ({ v: 1, seq, ts: now().toISOString(), runId, ...fact }) as RunEvent;
      return {
        get lastSeq() {
          return lines.length;
        },
        brokenAt: undefined,
        append(fact) {
          if (isClosed) throw new Error('the log is closed');
          const event = toEvent(lines.length + 1, fact);
          lines.push(JSON.stringify(event));
          return event;
        },
        stamp: (fact) => toEvent(lines.length, fact),
        sync: () => Promise.resolve(),
        close() {
          isClosed = true;
          return Promise.resolve();
        },
      };
    },
    read(onEvent) {
      for (const event of read()) onEvent(event);
      return { lastSeq: lines.length, isIntact: true };
    },
    mark: () => String(lines.length),
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
        lastSeq: lines.length,
        isIntact: true,
      }),
    }),
  };
}
