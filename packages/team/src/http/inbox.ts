/** The inbox of a person, and handing a Work over to a colleague. */

import { findTreeRoot } from '@crewagent/core';
import type { Store } from '@crewagent/core/store';
import { TEAM_ENDPOINTS } from '@crewagent/protocol/api/accounts';
import type { RunFact } from '@crewagent/protocol/events';
import { mount, type Router } from '@crewagent/server/team';
import type { Identities } from '../access/identities.ts';
import type { Inbox } from '../inbox/inbox.ts';
import { type GiveUpParts, giveUp, takeSoon } from '../queue/use-tree.ts';
import { requireIdentity } from './account-routes.ts';
import { scopeOf } from './activity.ts';

export interface InboxRoutes extends GiveUpParts {
  readonly store: Store;
  readonly inbox: Inbox;
  readonly identities: Identities;
}

export function mountInbox(router: Router, routes: InboxRoutes): void {
  const { inbox, store } = routes;
  const endpoints = TEAM_ENDPOINTS.inbox;
  mount(router, endpoints.list, async ({ viewer }) => {
    const { person } = requireIdentity(routes, viewer);
    return { works: await inbox.list(person.personId, scopeOf(viewer)) };
  });
  mount(router, endpoints.handOver, async ({ viewer, params: { workId }, body: { personId } }) => {
    const { person } = requireIdentity(routes, viewer);
    const receiver = await inbox.requireReceiver(workId, personId);
    const root = await findTreeRoot(store.works, await store.works.find(workId));
    await appendFact(routes, root, { type: 'work.handed', by: person.name, to: receiver.name });
    await inbox.handOver(root.workId, { from: person.personId, to: personId });
  });
  mount(router, endpoints.leave, async ({ viewer, params: { workId } }) => {
    await inbox.acted(workId, requireIdentity(routes, viewer).person.personId, undefined);
  });
}

/** Between two turns: nobody else writes the log then. */
async function appendFact(
  { store: { works }, ...parts }: InboxRoutes,
  root: Awaited<ReturnType<typeof findTreeRoot>>,
  fact: RunFact,
): Promise<void> {
  const claim = await takeSoon(parts.claims, root.workId);
  try {
    const lease = await works.lease(root);
    try {
      const log = await works.openLog(root, { now: () => new Date() });
      log.append(fact);
      await log.close();
    } finally {
      await lease.release();
    }
  } finally {
    await giveUp(claim, parts);
  }
}
