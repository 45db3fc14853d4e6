/**
 * The chain of a run's log: each line ends in a hash over its own JSON and the hash of the line before, so that no line can
 * be changed, taken out or put in unnoticed. Knows lines, not files.
 */
import { hash } from 'node:crypto';
import { isEventType } from '@crewagent/protocol/event-kinds';
import type { RunEvent } from '@crewagent/protocol/events';

export interface SealedLine {
  /** With its line break. */
  readonly text: string;
  readonly hash: string;
}

/** The line for an event that follows a line with `previousHash`, which is empty for the first one. */
export function sealLine(event: RunEvent, previousHash: string): SealedLine {
  const json = JSON.stringify(event);
  const sealed = hash('sha256', previousHash + json);
  return { text: `${json.slice(0, -1)}${OPENING}${sealed}${CLOSING}\n`, hash: sealed };
}

const OPENING = ',"hash":"';
const CLOSING = '"}';
const HASH_LENGTH = 64;
const SEAL_LENGTH = OPENING.length + HASH_LENGTH + CLOSING.length;

/** Reads the lines of a log in order, and keeps what is needed to go on with it. */
export interface ChainReader {
  read(line: string): LineKind;
  /** There are no more lines. */
  end(): void;
  readonly lastSeq: number;
  readonly lastHash: string;
  /** What the last number is if there are no more lines; the same as `lastSeq` unless there is doubt. */
  readonly endSeq: number;
  /** The number that the first event which is missing, damaged or out of place should have; undefined while all is well. */
  readonly brokenAt: number | undefined;
}

/** `blank`: holds NULs, as after a power loss; at the end of a log it was never finished. */
export type LineKind = 'event' | 'blank' | 'damaged';

/** A place in a log to read on from: behind a line that left no doubt. */
export interface ChainPosition {
  readonly lastSeq: number;
  readonly lastHash: string;
}

const BEGINNING: ChainPosition = { lastSeq: 0, lastHash: '' };

/** Tells events with rising numbers only, of types that are known here. */
export function createChainReader(onEvent: (event: RunEvent) => void, from = BEGINNING): ChainReader {
  let { lastSeq, lastHash } = from;
  let brokenAt: number | undefined;
  let hasBlank = false;
  /** Does not fit and is ahead of its place: behind a gap, or with a damaged number. The next event decides. */
  let doubtful: StampedLine | undefined;

  const tell = (event: StampedLine): void => {
    lastSeq = event.seq;
    if (isKnown(event)) onEvent(event);
  };

  const settleDoubt = (nextSeq: number): void => {
    if (doubtful && doubtful.seq < nextSeq) tell(doubtful);
    doubtful = undefined;
  };

  const read = (line: string): LineKind => {
    const { json, seal } = splitSeal(line);
    const isSealed = seal !== undefined && hash('sha256', lastHash + json) === seal;
    const event = parseEvent(json);
    const kind = event ? 'event' : isUnfinished(line) ? 'blank' : 'damaged';
    if (kind === 'blank') {
      hasBlank = true;
      return kind;
    }
    if (!isSealed || hasBlank || event?.seq !== lastSeq + 1) brokenAt ??= lastSeq + 1;
    lastHash = seal ?? lastHash;
    if (!event) return kind;
    settleDoubt(event.seq);
    if (event.seq > lastSeq) {
      if (isSealed || event.seq === lastSeq + 1) tell(event);
      else doubtful = event;
    }
    return kind;
  };

  return {
    read,
    end: () => settleDoubt(Number.POSITIVE_INFINITY),
    get lastSeq() {
      return lastSeq;
    },
    get lastHash() {
      return lastHash;
    },
    get endSeq() {
      return doubtful?.seq ?? lastSeq;
    },
    get brokenAt() {
      return brokenAt;
    },
  };
}

/** Not so where a whole event and more stand around the NULs: there a line break was lost. */
function isUnfinished(line: string): boolean {
  const blank = line.indexOf('\0');
  if (blank === -1) return false;
  return line.slice(blank).replaceAll('\0', '') === '' || !parseEvent(line.slice(0, blank));
}

/** Without a regular expression: this runs for every line of every log that is opened. */
function splitSeal(line: string): { json: string; seal: string | undefined } {
  const at = line.length - SEAL_LENGTH;
  if (!line.startsWith(OPENING, at) || !line.endsWith(CLOSING)) return { json: line, seal: undefined };
  return {
    json: `${line.slice(0, at)}}`,
    seal: line.slice(at + OPENING.length, -CLOSING.length),
  };
}

interface StampedLine {
  readonly type: string;
  readonly seq: number;
}

/** The little that every reader relies on; a full look at each line would take longer than all the rest. */
function parseEvent(json: string): StampedLine | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { type, seq, ts } = value as Record<string, unknown>;
  const isEvent = typeof type === 'string' && Number.isSafeInteger(seq) && typeof ts === 'string';
  return isEvent ? (value as StampedLine) : undefined;
}

function isKnown(event: StampedLine): event is RunEvent {
  return isEventType(event.type);
}
