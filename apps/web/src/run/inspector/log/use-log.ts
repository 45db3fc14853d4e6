/**
 * The log of a run or thread, from its end: new events are read when the view's seq increases, earlier ones on demand. One
 * request at a time, and fewer than one per event in a busy run.
 */
import type { RunEvent } from '@crewagent/protocol/events';
import { useEffect, useState } from 'react';
import { useApi } from '../../../api/api-context.tsx';
import { toError } from '../../../ui/errors/error-texts.ts';

/** The server's page size. */
export const PAGE_EVENTS = 1_000;

interface Known {
  readonly events: readonly RunEvent[];
  /** The last page was prepended. */
  readonly isPrepended: boolean;
  /** A request is in flight or has just ended. */
  readonly isBusy: boolean;
  readonly issue: Error | undefined;
  /** The view's seq when the server last had no more events. */
  readonly emptyAt: number;
}

const NOTHING: Known = { events: [], isPrepended: false, isBusy: false, issue: undefined, emptyAt: 0 };
const PAUSE_MS = 250;

/** Follows one Work while mounted; `wantsAll` also reads all earlier events. */
export function useLog(workId: string, lastSeq: number, wantsAll: boolean) {
  const client = useApi();
  const [known, setKnown] = useState(NOTHING);
  const [wanted, setWanted] = useState<number>();
  const { events, isBusy, issue, emptyAt } = known;
  const first = events[0]?.seq ?? 1;

  useEffect(() => {
    if (isBusy || issue !== undefined || emptyAt === lastSeq) return;
    const page = toNextPage(events, lastSeq, wantsAll ? 1 : wanted);
    if (!page) return;
    setKnown((before) => ({ ...before, isBusy: true }));
    const query = { after: String(page.after), limit: String(page.limit) };
    client.works
      .log({ workId, query })
      .then(({ events: found }) =>
        setKnown((before) => ({
          ...before,
          events: withPage(before.events, found),
          isPrepended: (found[0]?.seq ?? 0) < (before.events[0]?.seq ?? 0),
          emptyAt: found.length === 0 ? lastSeq : 0,
        })),
      )
      .catch((error: unknown) => setKnown((before) => ({ ...before, issue: toError(error) })))
      .finally(() => setTimeout(() => setKnown((before) => ({ ...before, isBusy: false })), PAUSE_MS));
  }, [client, workId, events, lastSeq, wanted, wantsAll, isBusy, issue, emptyAt]);

  return {
    events,
    issue,
    isPrepended: known.isPrepended,
    isLoading: isBusy && events.length === 0,
    /** Number of earlier events that are not loaded. */
    earlier: first - 1,
    loadEarlier: (): void => setWanted(Math.max(1, first - PAGE_EVENTS)),
    retry: (): void => setKnown((before) => ({ ...before, issue: undefined })),
  };
}

/**
 * The next page to load: `limit` events after the seq `after`; undefined if everything is loaded. `wanted`: the first seq that
 * should be.
 */
export function toNextPage(
  events: readonly RunEvent[],
  lastSeq: number,
  wanted: number | undefined,
): { readonly after: number; readonly limit: number } | undefined {
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
