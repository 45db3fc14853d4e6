/** Searches a store without occupying this thread. One search at a time: there is one index. */
import type { FoundText } from '@crewagent/protocol/api/search';
import { createQueue } from './base/queue.ts';
import { createWorkerRoom } from './base/worker/worker-room.ts';
import type { SearchQuery } from './search/search-works.ts';
import type { SearchJobs } from './search-thread.ts';

const room = createWorkerRoom<SearchJobs>(async () => (await import('./search-thread.ts?thread')).default);
const inOrder = createQueue();

/** Far more than a search takes: then its thread is ended. */
const MAX_MS = 30_000;

export function searchInThread(storeRoot: string, query: SearchQuery): Promise<FoundText> {
  return inOrder(() => room.run<FoundText>('search', { storeRoot, query }, AbortSignal.timeout(MAX_MS)));
}
