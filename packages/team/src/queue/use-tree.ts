/** Something short that needs the files of a tree of Works and no turn, such as an undo: done by the server itself. */
import type { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { CrewError } from '@crewagent/core';
import type { WorkAddress } from '@crewagent/core/store';
import type { Database } from '../database/database.ts';
import { RENEWAL_TIMING } from '../database/renewals.ts';
import type { ProjectFolder, Workspaces } from '../workspaces/workspaces.ts';
import type { AdvanceQueue } from './advance-queue.ts';
import type { Claim, Claims } from './claims.ts';
import { IS_DUE } from './commands.ts';

interface TreeParts {
  readonly database: Database;
  readonly claims: Claims;
  readonly queue: Pick<AdvanceQueue, 'add'>;
  readonly workspaces: Workspaces;
  readonly current: AsyncLocalStorage<ProjectFolder>;
}

export type GiveUpParts = Pick<TreeParts, 'claims' | 'queue'>;

/** How long the end of a turn is waited for. */
const PATIENCE_MS = 5_000;
const LOOK_EVERY_MS = 100;
export const LONGER_THAN_A_CLAIM = RENEWAL_TIMING.leaseMs + PATIENCE_MS;

export async function useTree<T>(
  { workId }: WorkAddress,
  { database, claims, queue, workspaces, current }: TreeParts,
  use: () => Promise<T>,
): Promise<T> {
  const [row] = await database.read<{ root_id: string }>('select root_id from works where work_id = $1', [
    workId,
  ]);
  const claim = await takeSoon(claims, row?.root_id ?? workId);
  try {
    const workspace = await workspaces.checkOut(claim.rootId);
    try {
      const result = await current.run(workspace, use);
      await workspace.checkIn(claim);
      return result;
    } finally {
      await workspace.remove();
    }
  } finally {
    await giveUp(claim, { claims, queue });
  }
}

/** Commands that came meanwhile found the tree claimed, so that nobody has queued an advance for them. */
export async function giveUp(claim: Claim, { claims, queue }: GiveUpParts): Promise<void> {
  if (await claims.end(claim)) return;
  await claims.drop(claim);
  await queue.add(claim.rootId, `after-${claim.epoch}`);
}

/** Waits for the end of a turn; with `LONGER_THAN_A_CLAIM` also for the claim of a process that died. */
export function takeSoon(claims: Claims, rootId: string, patienceMs = PATIENCE_MS): Promise<Claim> {
  return soon(() => claims.take(rootId), patienceMs);
}

/** Waits until what Works of the tree wrote is in their project: a Work is complete a moment before its worker has checked that in. */
export async function waitForCheckIn({ read }: Pick<Database, 'read'>, rootId: string): Promise<void> {
  await soon(async () => ((await read(IS_AT_WORK, [rootId])).length === 0 ? true : undefined));
}

async function soon<T>(look: () => Promise<T | undefined>, patienceMs = PATIENCE_MS): Promise<T> {
  const end = Date.now() + patienceMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > end)
      throw new CrewError('RUN_LOCKED', 'A worker is working on it; wait for it, or stop it first.');
    await wait(LOOK_EVERY_MS);
  }
}

/** Commands are answered after the check-in; those of a worker that died stay open until another one has done it. */
const IS_AT_WORK = `
select from claims where root_id = $1 and claimed_until > now()
union all
select from commands
where root_id = $1 and state in ('queued', 'taken', 'accepted', 'handed-over') and ${IS_DUE}
limit 1`;
