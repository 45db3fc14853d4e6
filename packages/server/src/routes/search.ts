/** Search over the text of all Works: in a thread of its own, unless the Works are not on this disk. */
import { type SearchQuery, searchInThread } from '@crewagent/core';
import { ENDPOINTS } from '@crewagent/protocol/api/endpoints';
import { mount, type Router } from '../mount.ts';
import { scopeOf } from '../security/access.ts';
import type { ServerParts } from '../server-parts.ts';

/** The index is updated for so long by each request; the page asks again while it is incomplete. */
const BUDGET_MS = 1_000;

export function mountSearch(router: Router, { runtime: { store }, search }: ServerParts): void {
  const find = search ?? ((query: SearchQuery) => searchInThread(store.root, query));
  mount(router, ENDPOINTS.search.find, ({ viewer, query: { q, project, limit } }) =>
    find({ text: q, projects: scopeOf(viewer, project), limit, budgetMs: BUDGET_MS }),
  );
}
