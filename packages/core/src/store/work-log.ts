/** The event log of a Work as its writer and its readers see it, whatever the store keeps it in. Types only. */
import type { RunEvent, RunFact } from '@crewagent/protocol/events';

export interface OpenLogOptions {
  readonly now: () => Date;
  /** Receives every event that is already in the log, while it is opened. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
}

/** The one writer, under the lease of the Work. */
export interface RunLog {
  readonly lastSeq: number;
  /** Number of the first event that is missing or damaged, as of opening; the damage stays. */
  readonly brokenAt: number | undefined;
  /** Numbers and dates an event and adds it; durable once `sync` resolves. When it throws, nothing was added. */
  append(fact: RunFact): RunEvent;
  /** For events that are sent and never stored: bears the number of the last stored event. */
  stamp(fact: RunFact): RunEvent;
  /** Everything appended so far survives a power loss when this resolves, also if the log is closed meanwhile. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface LogReading {
  readonly lastSeq: number;
  readonly isIntact: boolean;
  /** Number of the first event that is missing, damaged or out of order. */
  readonly brokenAt?: number;
}

export interface LogTail {
  /** Passes on the events added since the last read, each once. Not to be called again before it has resolved. */
  read(onEvent: (event: RunEvent) => void): Promise<void>;
}

export interface LogPages {
  /** Up to `limit` events with numbers above `after`. Concurrent reads are queued. */
  read(range: PageRange): Promise<LogPage>;
}

export interface PageRange {
  readonly after: number;
  readonly limit: number;
}

export interface LogPage {
  readonly events: RunEvent[];
  /** Of the whole log. */
  readonly lastSeq: number;
  /** No break is known. */
  readonly isIntact: boolean;
}
