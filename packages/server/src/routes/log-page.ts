/** Logs for those who read them in pages. Where the pages begin is kept for the logs that were asked for last. */
import { createLogPages, type LogPage, type LogPages } from '@crewagent/core';

const MAX_PAGE = 1_000;
const MOST_STORED = 50;

interface PageQuery {
  readonly after?: number | undefined;
  readonly limit?: number | undefined;
}

/** Where the log of an id is. */
type FindLog = (id: string) => Promise<{ readonly log: string; readonly outputs: string | undefined }>;

export function createLogPager(find: FindLog) {
  const kept = new Map<string, LogPages>();

  /** The one that was asked for last is the last to go. */
  const pagesOf = ({ log, outputs }: Awaited<ReturnType<FindLog>>): LogPages => {
    const pages = kept.get(log) ?? createLogPages(log, { outputs });
    kept.delete(log);
    kept.set(log, pages);
    const [oldest] = kept.keys();
    if (kept.size > MOST_STORED && oldest !== undefined) kept.delete(oldest);
    return pages;
  };

  return async (
    id: string,
    { after = 0, limit = MAX_PAGE }: PageQuery,
  ): Promise<Pick<LogPage, 'events' | 'lastSeq'>> => {
    const pages = pagesOf(await find(id));
    const { events, lastSeq } = await pages.read({ after, limit: Math.min(limit, MAX_PAGE) });
    return { events, lastSeq };
  };
}
