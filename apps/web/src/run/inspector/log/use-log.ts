/**
 * The log of a run or a talk, from its end: what is written is read as the view's number rises, what came before when it is
 * wanted. One request at a time, and not for every event of a busy run.
 */

import type { RunEvent } from '@crewagent/protocol/events';
import { useCallback, useEffect, useState } from 'react';
import { useApi } from '../../../api/api-context.tsx';
import { toError } from '../../../ui/errors/error-texts.ts';
import { PAGE_EVENTS, toNextPage, withPage } from './log-pages.ts';

export interface FollowedLog {
  readonly events: readonly RunEvent[];
  /** How many came before what is known. */
  readonly earlier: number;
  readonly isLoading: boolean;
  readonly issue: Error | undefined;
  /** What came last went before the rest. */
  readonly isPrepended: boolean;
  readonly loadEarlier: () => void;
  readonly retry: () => void;
}

interface Known {
  readonly events: readonly RunEvent[];
  readonly isPrepended: boolean;
  /** A request is under way, or was a moment ago. */
  readonly isBusy: boolean;
  readonly issue: Error | undefined;
  /** The view's number when the server last had nothing more. */
  readonly emptyAt: number;
}

const NOTHING: Known = { events: [], isPrepended: false, isBusy: false, issue: undefined, emptyAt: 0 };
const PAUSE_MS = 250;

/** For one Work as long as it is on the screen; `wantsAll` also reads everything that came before. */
export function useLog(workId: string, lastSeq: number, wantsAll: boolean): FollowedLog {
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
    earlier: first - 1,
    isLoading: isBusy && events.length === 0,
    issue,
    isPrepended: known.isPrepended,
    loadEarlier: useCallback(() => setWanted(Math.max(1, first - PAGE_EVENTS)), [first]),
    retry: useCallback(() => setKnown((before) => ({ ...before, issue: undefined })), []),
  };
}
