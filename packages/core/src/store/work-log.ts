/** The event log of a Work, for its writer and its readers, independent of the storage. Types only. */
import type { RunEvent, RunFact } from '@crewagent/protocol/events';

export interface OpenLogOptions {
  readonly now: () => Date;
  /** Receives every event that is already in the log, while it is opened. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
}

/** The single writer; requires the lease of the Work. */
export interface RunLog {
  readonly lastSeq: number;
  /** Number of the first missing or damaged event when the log was opened; the damage is not repaired. */
  readonly brokenAt: number | undefined;
  /** Adds a number and a date to the fact and appends it; durable once `sync` resolves. If it throws, nothing was appended. */
  append(fact: RunFact): RunEvent;
  /** For events that are emitted but not stored: they have the number of the last stored event. */
  stamp(fact: RunFact): RunEvent;
  /** When this resolves, all events appended so far survive a power loss. May be called after `close`. */
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
  /** Reports the events added since the last read, each once. Do not call it again before it has resolved. */
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
  /** Last number in the whole log. */
  readonly lastSeq: number;
  /** False once a damaged or missing event was found. */
  readonly isIntact: boolean;
}
