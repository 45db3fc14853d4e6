/** Logs in pages. The page offsets of recently read logs are cached. */
import type { LogPage, LogPages, Store } from '@crewagent/core';

export const MAX_PAGE = 1_000;
const MOST_CACHED = 50;

interface PageQuery {
  readonly after?: number | undefined;
  readonly limit?: number | undefined;
}

export function createLogPager(works: Pick<Store['works'], 'find' | 'pageLog'>) {
  const recent = new Map<string, LogPages>();

  /** The least recently used one is evicted. */
  const pagesOf = async (id: string): Promise<LogPages> => {
    // Asked for each time: one that was deleted is not served from the cache.
    const address = await works.find(id);
    const pages = recent.get(id) ?? works.pageLog(address);
    recent.delete(id);
    recent.set(id, pages);
    const [oldest] = recent.keys();
    if (recent.size > MOST_CACHED && oldest !== undefined) recent.delete(oldest);
    return pages;
  };

  return async (
    id: string,
    { after = 0, limit = MAX_PAGE }: PageQuery,
  ): Promise<Pick<LogPage, 'events' | 'lastSeq'>> => {
    const pages = await pagesOf(id);
    const { events, lastSeq } = await pages.read({ after, limit: Math.min(limit, MAX_PAGE) });
    return { events, lastSeq };
  };
}
