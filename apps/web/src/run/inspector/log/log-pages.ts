/** Paging of a log: the end is loaded first, earlier events on demand. Pure. */
import type { RunEvent } from '@crewagent/protocol/events';

/** The server's page size. */
export const PAGE_EVENTS = 1_000;

export interface LogPage {
  /** Events after this seq. */
  readonly after: number;
  readonly limit: number;
}

/** `wanted`: the first seq that should be loaded. Undefined if everything is loaded. */
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

/** Prepends or appends a page; known events are skipped. */
export function withPage(events: readonly RunEvent[], page: readonly RunEvent[]): readonly RunEvent[] {
  const first = events[0]?.seq ?? Number.POSITIVE_INFINITY;
  const last = events.at(-1)?.seq ?? Number.POSITIVE_INFINITY;
  return [...page.filter(({ seq }) => seq < first), ...events, ...page.filter(({ seq }) => seq > last)];
}
