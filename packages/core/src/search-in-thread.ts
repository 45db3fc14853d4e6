/** Searches a store without occupying this thread. One search at a time: there is one index. */
import type { FoundText } from '@crewagent/protocol/api/search';
import { CrewError } from './base/crew-error.ts';
import { createQueue } from './base/queue.ts';
import { createWorkerRoom } from './base/worker/worker-room.ts';
import type { SearchQuery } from './search/search-works.ts';
import type { SearchJobs } from './search-thread.ts';

const room = createWorkerRoom<SearchJobs>(async () => (await import('./search-thread.ts?thread')).default);
const inOrder = createQueue();

/** Far more than a search takes: then its thread is ended. */
const MAX_MS = 30_000;

export function searchInThread(
  storeRoot: string,
  query: SearchQuery,
  startTimer: () => AbortSignal = () => AbortSignal.timeout(MAX_MS),
): Promise<FoundText> {
  return inOrder(async () => {
    const signal = startTimer();
    try {
      return await room.run<FoundText>('search', { storeRoot, query }, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      const message =
        'The search took too long and was ended. Try again, with more specific words or in one project.';
      throw new CrewError('SEARCH_TIMED_OUT', message, { cause: error });
    }
  });
}
