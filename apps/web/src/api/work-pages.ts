/** Pages of the list of Works that a screen shows, loaded one after the other while the user scrolls. */
import { pause } from '@crewagent/protocol/api/event-stream';
import type { WorkSummary } from '@crewagent/protocol/api/work-messages';
import { byLastChange, parseCursor } from '@crewagent/protocol/work-order';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { useWork, type WorkQuery } from './work-context.tsx';

interface PagesOptions {
  /** Where the first page begins; by default with the most recent Work. */
  readonly after?: string | undefined;
  /** Nothing is loaded otherwise. */
  readonly isWanted: boolean;
}

export interface WorkPages {
  /** Whether all Works of the query before this one, and this one, are known. */
  readonly covers: (work: WorkSummary) => boolean;
  readonly hasMore: boolean;
  /** For the element after the last one: the next page is loaded when it comes into view. */
  readonly end: (element: Element | null) => void;
  readonly issue: Error | null;
}

/** Time in which a further letter may be typed. */
const TYPING_MS = 120;
/** Pages are loaded a screen ahead. */
const AHEAD = '600px';

export function useWorkPages(query: WorkQuery, { after, isWanted }: PagesOptions): WorkPages {
  const { list, load } = useWork();
  const [isNear, setNear] = useState(false);
  const isEnabled = isWanted && isNear && list !== undefined;
  const { data, hasNextPage, isFetching, fetchNextPage, error } = useInfiniteQuery({
    queryKey: ['works', list?.epoch, after, query],
    async queryFn({ pageParam, signal }) {
      if (query.text) await pause(TYPING_MS, signal);
      const next = await load(pageParam === undefined ? query : { ...query, after: pageParam }, signal);
      return { next };
    },
    initialPageParam: after,
    getNextPageParam: ({ next }: { readonly next: string | undefined }) => next,
    enabled: isEnabled,
    staleTime: Number.POSITIVE_INFINITY,
  });
  useEffect(() => {
    if (isEnabled && hasNextPage && !isFetching && !error) void fetchNextPage();
  }, [isEnabled, hasNextPage, isFetching, error, fetchNextPage]);
  const next = data ? data.pages.at(-1)?.next : after;
  const last = next === undefined ? undefined : parseCursor(next);
  return {
    covers: (work) => !isWanted || last === undefined || byLastChange(work, last) <= 0,
    hasMore: isWanted && (data === undefined || hasNextPage),
    end: useEnd(setNear),
    issue: error,
  };
}

/** Reports whether the element is in view, or almost. */
function useEnd(onNear: (isNear: boolean) => void): WorkPages['end'] {
  return useCallback(
    (element: Element | null) => {
      if (!element) return onNear(false);
      const observer = new IntersectionObserver(
        (entries) => onNear(entries.at(-1)?.isIntersecting === true),
        { scrollMargin: AHEAD, rootMargin: AHEAD } as IntersectionObserverInit,
      );
      observer.observe(element);
      return () => {
        observer.disconnect();
        onNear(false);
      };
    },
    [onNear],
  );
}
