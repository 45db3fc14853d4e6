/** The event log of a Work as a list in memory. */
import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import type { LogPages, LogReading, LogTail, OpenLogOptions, RunLog } from '../work-log.ts';

export interface MemoryLog {
  open(options: OpenLogOptions): RunLog;
  read(onEvent: (event: RunEvent) => void): LogReading;
  tail(): LogTail;
  pages(): LogPages;
}

export function createMemoryLog(runId: string): MemoryLog {
  const events: RunEvent[] = [];
  return {
    open({ now, onEvent = () => undefined }) {
      for (const event of events) onEvent(event);
      let isClosed = false;
      // A fact is an event without number and date.
      const toEvent = (seq: number, fact: RunFact): RunEvent =>
        structuredClone({ v: 1, seq, ts: now().toISOString(), runId, ...fact }) as RunEvent;
      return {
        get lastSeq() {
          return events.length;
        },
        brokenAt: undefined,
        append(fact) {
          if (isClosed) throw new Error('the log is closed');
          const event = toEvent(events.length + 1, fact);
          events.push(event);
          return event;
        },
        stamp: (fact) => toEvent(events.length, fact),
        sync: () => Promise.resolve(),
        close() {
          isClosed = true;
          return Promise.resolve();
        },
      };
    },
    read(onEvent) {
      for (const event of events) onEvent(event);
      return { lastSeq: events.length, isIntact: true };
    },
    tail() {
      let next = 0;
      return {
        async read(onEvent) {
          for (; next < events.length; next++) onEvent(events[next] as RunEvent);
        },
      };
    },
    pages: () => ({
      read: async ({ after, limit }) => ({
        events: events.slice(after, after + limit),
        lastSeq: events.length,
        isIntact: true,
      }),
    }),
  };
}
