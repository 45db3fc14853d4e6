/** Who is doing what: workers, what waits for them, and the Works that run or wait for somebody. */
import { TEAM_ENDPOINTS } from '@crewagent/protocol/api/accounts';
import type { ActiveWork } from '@crewagent/protocol/api/team';
import { mount, type Router, type Viewer } from '@crewagent/server/team';
import type { Identities } from '../access/identities.ts';
import type { Queries } from '../database/database.ts';
import { ACTIVE_COLUMNS, type ActiveRow, toActiveWork } from '../inbox/active-works.ts';
import { labelsIn, QUEUED_BY_POOL } from '../queue/advance-queue.ts';

import { requireIdentity } from './account-routes.ts';

export interface ActivityRoutes {
  readonly database: Queries;
  readonly identities: Identities;
}

const MAX_WORKS = 500;
/** A worker reports every five seconds. */
const LOST_SECONDS = 30;

export function mountActivity(router: Router, routes: ActivityRoutes): void {
  const { database } = routes;
  const { activity } = TEAM_ENDPOINTS;
  mount(router, activity.workers, async ({ viewer }) => {
    const { isAdmin } = requireIdentity(routes, viewer);
    const workers = await readWorkers(database);
    return { workers: workers.map(({ host, ...worker }) => (isAdmin ? { ...worker, host } : worker)) };
  });
  mount(router, activity.queue, async ({ viewer }) => {
    const rows = await database.read<{ project_id: string; open: number; oldest: Date }>(
      `select works.project_id, count(*)::integer as open, min(created_at) as oldest
       from commands join works on works.work_id = commands.root_id
       where state = 'queued' and ($1::text[] is null or works.project_id = any($1::text[]))
       group by works.project_id order by oldest`,
      [scopeOf(viewer)],
    );
    const [first] = rows;
    return {
      unserved: await readUnserved(database, scopeOf(viewer)),
      open: rows.reduce((sum, { open }) => sum + open, 0),
      ...(first ? { oldestAt: first.oldest.toISOString() } : {}),
      projects: rows.map(({ project_id: projectId, open }) => ({ projectId, open })),
    };
  });
  mount(router, activity.waiting, async ({ params: { workId } }) => readWaiting(database, workId));
  mount(router, activity.works, async ({ viewer }) => ({
    works: await readActive(database, scopeOf(viewer)),
  }));
}

export function scopeOf({ projects }: Viewer): readonly string[] | null {
  return projects ? [...projects] : null;
}

export async function readWorkers(database: Queries) {
  const rows = await database.read<{
    worker_id: string;
    host: string;
    version: string;
    slots: number;
    labels: string[];
    is_draining: boolean;
    seen_at: Date;
    is_lost: boolean;
    busy: number;
  }>(
    `select worker_id, host, version, slots, labels, is_draining, seen_at,
       seen_at < now() - make_interval(secs => $1) as is_lost,
       (select count(*)::integer from claims
        where claims.worker_id = workers.worker_id and claimed_until > now()) as busy
     from workers where seen_at > now() - interval '1 day' order by host, worker_id`,
    [LOST_SECONDS],
  );
  return rows.map((row) => ({
    workerId: row.worker_id,
    host: row.host,
    version: row.version,
    slots: row.slots,
    busy: row.busy,
    labels: row.labels,
    seenAt: row.seen_at.toISOString(),
    isLost: row.is_lost,
    isDraining: row.is_draining,
  }));
}

/** Works in the queue that ask for labels which no worker has. */
export async function readUnserved(database: Queries, scope: readonly string[] | null) {
  const rows = await database.read<{ pool: string; works: number }>(
    `select pool, count(distinct queued.root_id)::integer as works
     from (${QUEUED_BY_POOL}) as queued join works on works.work_id = queued.root_id
     where $1::text[] is null or project_id = any($1::text[])
     group by pool order by pool`,
    [scope],
  );
  const servesLabels = await readServedLabels(database);
  return rows.flatMap(({ pool, works }) => {
    const labels = labelsIn(pool);
    return labels.length === 0 || servesLabels(labels) ? [] : [{ labels, works }];
  });
}

/** Of the tree of a Work: a called workflow has no queue of its own. */
async function readWaiting(database: Queries, workId: string) {
  const [row] = await database.read<{ since: Date | null; labels: string[] }>(
    `select labels_of(root_id) as labels,
       (select min(created_at) from commands where commands.root_id = works.root_id and state = 'queued') as since
     from works where work_id = $1`,
    [workId],
  );
  const labels = row?.labels ?? [];
  const servesLabels = await readServedLabels(database);
  return { since: row?.since?.toISOString(), labels, isServed: servesLabels(labels) };
}

async function readServedLabels(database: Queries): Promise<(labels: readonly string[]) => boolean> {
  const workers = (await readWorkers(database)).filter(({ isLost, isDraining }) => !isLost && !isDraining);
  return (labels) => workers.some((worker) => labels.every((label) => worker.labels.includes(label)));
}

/** Called workflows and runs of a conversation are part of the Work at the top of them. */
async function readActive(database: Queries, scope: readonly string[] | null): Promise<ActiveWork[]> {
  const rows = await database.read<ActiveRow>(
    `select ${ACTIVE_COLUMNS}
     from works left join work_starters using (root_id) left join work_owners using (root_id)
       left join people on people.person_id = coalesce(work_owners.person_id, work_starters.person_id)
     where phase in ('Running', 'WaitingUser') and parent_id is null
       and ($1::text[] is null or project_id = any($1::text[]))
     order by work_id desc limit $2`,
    [scope, MAX_WORKS],
  );
  return rows.map(toActiveWork);
}
