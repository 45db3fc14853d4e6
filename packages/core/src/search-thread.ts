/** The thread of the search: opens the store by itself, and keeps the index while it lives. Bundled on its own. */
import { serveJobs } from './base/worker/serve-jobs.ts';
import { createWorkSearch, type SearchQuery } from './search/search-works.ts';
import { openDiskStore } from './store/disk/open-store.ts';

export interface SearchJobs {
  search: { readonly storeRoot: string; readonly query: SearchQuery };
}

const searches = new Map<string, ReturnType<typeof createWorkSearch>>();

serveJobs({
  *search({ storeRoot, query }: SearchJobs['search']) {
    const search = searches.get(storeRoot) ?? createWorkSearch(openDiskStore(storeRoot));
    searches.set(storeRoot, search);
    yield search(query);
  },
});
