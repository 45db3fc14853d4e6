/** A part of a log, for those who read it in pages. */
import type { RunEvent } from '@crewagent/protocol/events';

const MAX_PAGE = 1_000;

interface PageQuery {
  readonly after?: number | undefined;
  readonly limit?: number | undefined;
}

export async function pageOf(
  { after = 0, limit = MAX_PAGE }: PageQuery,
  read: (onEvent: (event: RunEvent) => void) => Promise<{ readonly lastSeq: number }>,
): Promise<{ events: RunEvent[]; lastSeq: number }> {
  const events: RunEvent[] = [];
  const most = Math.min(limit, MAX_PAGE);
  const { lastSeq } = await read((event) => {
    if (event.seq > after && events.length < most) events.push(event);
  });
  return { events, lastSeq };
}
