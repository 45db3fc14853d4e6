/** Which part of a log is known, and which is asked for next: the end first, what came before on demand. Pure. */
import type { RunEvent } from '@crewagent/protocol/events';

/** As much as the server gives at once. */
export const PAGE_EVENTS = 1_000;

export interface LogPage {
  /** From behind this number on. */
  readonly after: number;
  readonly limit: number;
}

/** `wanted`: the first number that should be known. Undefined where all of it is. */
export function toNextPage(
  events: readonly RunEvent[],
  lastSeq: number,
  wanted: number | undefined,
): LogPage | undefined {
  const first = events[0]?.seq;
  const last = events.at(-1)?.seq;
  if (first === undefined || last === undefined)
    return lastSeq === 0 ? undefined : { after: Math.max(0, lastSeq - PAGE_EVENTS), limit: PAGE_EVENTS };
  if (last < lastSeq) return { after: last, limit: PAGE_EVENTS };
  if (wanted === undefined || first <= wanted || first === 1) return undefined;
  const after = Math.max(0, first - 1 - PAGE_EVENTS);
  return { after, limit: first - 1 - after };
}

/** A page goes before or behind what is known; what is known already is left out. */
export function withPage(events: readonly RunEvent[], page: readonly RunEvent[]): readonly RunEvent[] {
  const first = events[0]?.seq ?? Number.POSITIVE_INFINITY;
  const last = events.at(-1)?.seq ?? Number.POSITIVE_INFINITY;
  return [...page.filter(({ seq }) => seq < first), ...events, ...page.filter(({ seq }) => seq > last)];
}
