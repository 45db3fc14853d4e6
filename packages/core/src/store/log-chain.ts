/**
 * The hash chain of a log: each line ends with a hash over its own JSON and the hash of the previous line, so that a
 * changed, removed or inserted line is detected. Works on lines, not on files.
 */
import { hash } from 'node:crypto';
import { isEventType } from '@crewagent/protocol/event-kinds';
import type { RunEvent } from '@crewagent/protocol/events';

export interface SealedLine {
  /** Includes the line break. */
  readonly text: string;
  readonly hash: string;
}

/** Formats an event as a line. `previousHash` is empty for the first line. */
export function sealLine(event: RunEvent, previousHash: string): SealedLine {
  const json = JSON.stringify(event);
  const sealed = hash('sha256', previousHash + json);
  return { text: `${json.slice(0, -1)}${OPENING}${sealed}${CLOSING}\n`, hash: sealed };
}

const OPENING = ',"hash":"';
const CLOSING = '"}';
const HASH_LENGTH = 64;
const SEAL_LENGTH = OPENING.length + HASH_LENGTH + CLOSING.length;

/** Reads the lines of a log in order, with the state needed to continue it. */
export interface ChainReader {
  read(line: string): LineKind;
  /** Call it after the last line. */
  end(): void;
  readonly lastSeq: number;
  readonly lastHash: string;
  /** The last number if no more lines follow; differs from `lastSeq` only while an event is in doubt. */
  readonly endSeq: number;
  /** Expected number of the first event that is missing, damaged or out of order; undefined if there is none. */
  readonly brokenAt: number | undefined;
}

/** `blank`: contains NULs, as after a power loss; at the end of a log, an incomplete write. */
export type LineKind = 'event' | 'blank' | 'damaged';

/** A position to continue reading from, after a line that is not in doubt. */
export interface ChainPosition {
  readonly lastSeq: number;
  readonly lastHash: string;
}

const BEGINNING: ChainPosition = { lastSeq: 0, lastHash: '' };

/** Reports only events of known types, with increasing numbers. */
export function createChainReader(onEvent: (event: RunEvent) => void, from = BEGINNING): ChainReader {
  let { lastSeq, lastHash } = from;
  let brokenAt: number | undefined;
  let hasBlank = false;
  /** Its hash does not match and its number is too high: after a gap, or a damaged number. The next event decides. */
  let doubtful: StampedLine | undefined;

  const report = (event: StampedLine): void => {
    lastSeq = event.seq;
    if (isKnown(event)) onEvent(event);
  };

  const settleDoubt = (nextSeq: number): void => {
    if (doubtful && doubtful.seq < nextSeq) report(doubtful);
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
      if (isSealed || event.seq === lastSeq + 1) report(event);
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

/** False for a complete event with NULs and more text after it: a line break was lost. */
function isUnfinished(line: string): boolean {
  const blank = line.indexOf('\0');
  if (blank === -1) return false;
  return line.slice(blank).replaceAll('\0', '') === '' || !parseEvent(line.slice(0, blank));
}

/** No regular expression, for speed: called for every line of every log that is opened. */
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

/** Checks only the fields that every reader needs: validating each line against the schema would be too slow. */
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
