/**
 * Locking without locks of the operating system. A process that wants the lock creates a uniquely named file, its claim, in a
 * folder and then lists the folder: it holds the lock if no other claim is there. Of several claimants the one that has waited
 * longest keeps its claim until it is alone, and the others create none meanwhile; otherwise many of them would only ever see each
 * other. A claim of a dead process is void, and because names are unique any process may delete it.
 */
import { readFileSync } from 'node:fs';
import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, ifPresent, ifSystemAllows } from '../../../base/errno.ts';
import { isAlive } from '../../../base/staging.ts';
import { createUuidV7 } from '../../../base/uuid-v7.ts';
import { hasClaimsFolder } from './open-lock.ts';

/** A process; `start`, if available, distinguishes it from a later process with the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly start?: string | undefined;
}

export interface Claim {
  /** Undefined if the lock is taken, else the pid of another claimant. May be called again, until the claim is released. */
  tryTake(): Promise<number | undefined>;
  release(): Promise<void>;
}

/** Sorts claims by the time when they began to wait. The order is only for fairness: clocks may differ. */
const newId = createUuidV7(() => new Date());

/** The parent of `folder` must exist. */
export function createClaim(folder: string): Claim {
  /** Created with the first attempt: where the operating system has locks, there is none. */
  let id: string | undefined;
  let file: string | undefined;

  async function release(): Promise<void> {
    if (file !== undefined) await removeClaim(file);
    file = undefined;
  }

  async function findFirstRival(own: string): Promise<LiveClaim | undefined> {
    const rivals = (await readClaims(folder)).filter((other) => other.id !== own);
    return rivals.sort((one, other) => (one.id < other.id ? -1 : 1))[0];
  }

  async function tryTake(): Promise<number | undefined> {
    id ??= newId();
    const own = id;
    if (file === undefined) {
      await makeFolder(folder);
      const first = await findFirstRival(own);
      if (first && first.id < own) return first.pid;
      const { pid, start } = thisProcess();
      const created = join(folder, `${pid}-${start ?? ''}-${own}`);
      await (await open(created, 'wx', 0o600)).close();
      file = created;
    }
    // Listed after the claim was created: of two claimants at least one sees the other.
    const rival = await findFirstRival(own);
    if (rival && rival.id < own) await release();
    return rival?.pid;
  }

  return { tryTake, release };
}

/** The pid of a process with a claim. */
export async function readClaimant(folder: string): Promise<number | undefined> {
  if (!hasClaimsFolder(folder)) return undefined;
  return (await ifPresent(readClaims(folder)))?.[0]?.pid;
}

let identity: ProcessIdentity | undefined;

export function thisProcess(): ProcessIdentity {
  identity ??= { pid: process.pid, start: startTimeOf('self') };
  return identity;
}

/** True in case of doubt. */
export function isSameProcessAlive({ pid, start }: ProcessIdentity): boolean {
  if (identity && pid === identity.pid && start === identity.start) return true;
  if (!isAlive(pid)) return false;
  const currentStart = start ? startTimeOf(pid) : undefined;
  return currentStart === undefined || currentStart === start;
}

interface LiveClaim {
  readonly id: string;
  readonly pid: number;
}

/** Claims of live processes; deletes all others. */
async function readClaims(folder: string): Promise<LiveClaim[]> {
  const live: LiveClaim[] = [];
  for (const name of await readdir(folder)) {
    const match = /^(\d+)-(\d*)-([0-9a-f-]{36})$/.exec(name);
    if (!match) continue;
    const [, pid, start, id = ''] = match;
    const owner = { pid: Number(pid), start };
    if (isSameProcessAlive(owner)) live.push({ id, pid: owner.pid });
    else await removeClaim(join(folder, name));
  }
  return live;
}

/** Start time of a process, in ticks since boot. Linux only, where pids in containers are soon reused. */
function startTimeOf(pid: number | 'self'): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const status = ifSystemAllows(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The process name in parentheses may contain anything; `starttime` is field 22, the 20th after it.
  return status?.slice(status.lastIndexOf(')') + 2).split(' ')[19];
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    hasClaimsFolder(folder);
  }
}

function removeClaim(claim: string): Promise<void> {
  return rm(claim, { force: true });
}
