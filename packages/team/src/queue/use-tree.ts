/** Something short that needs the files of a tree of Works and no turn, such as an undo: done by the server itself. */
import type { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { CrewError } from '@crewagent/core';
import type { WorkAddress } from '@crewagent/core/store';
import type { Database } from '../database/database.ts';
import type { ProjectFolder, Workspaces } from '../workspaces/workspaces.ts';
import type { AdvanceQueue } from './advance-queue.ts';
import type { Claim, Claims } from './claims.ts';

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

/** Waits for the end of a turn. */
export async function takeSoon(claims: Claims, rootId: string): Promise<Claim> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const claim = await claims.take(rootId);
    if (claim) return claim;
    if (Date.now() > end)
      throw new CrewError('RUN_LOCKED', 'A worker is working on it; wait for it, or stop it first.');
    await wait(LOOK_EVERY_MS);
  }
}
