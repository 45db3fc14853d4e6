/**
 * Locking without locks of the operating system. A process that wants the lock creates a uniquely named file in a folder of
 * claims and then lists the folder: of two simultaneous claimants, at least one sees the other and withdraws. A claim of a
 * dead process is void, and because names are unique any process may delete it.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, ifPresent } from '../../../base/errno.ts';
import { isAlive } from '../../../base/staging.ts';
import { hasClaimsFolder } from './open-lock.ts';

/** A process; `start`, if available, distinguishes it from a later process with the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly start?: string | undefined;
}

export type ClaimAttempt =
  | { readonly isAccepted: true; release(): Promise<void> }
  | { readonly isAccepted: false; readonly pid: number };

/** The parent of `folder` must exist. */
export async function tryClaim(folder: string): Promise<ClaimAttempt> {
  await makeFolder(folder);
  const { pid, start } = thisProcess();
  const name = `${pid}-${start ?? ''}-${randomUUID()}`;
  const claim = join(folder, name);
  await (await open(claim, 'wx', 0o600)).close();
  const release = (): Promise<void> => removeClaim(claim);
  try {
    const rival = (await readClaims(folder)).find((other) => other.name !== name);
    if (!rival) return { isAccepted: true, release };
    await release();
    return { isAccepted: false, pid: rival.pid };
  } catch (error) {
    await release();
    throw error;
  }
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
  if (!isAlive(pid)) return false;
  const currentStart = start ? startTimeOf(pid) : undefined;
  return currentStart === undefined || currentStart === start;
}

interface LiveClaim {
  readonly name: string;
  readonly pid: number;
}

/** Claims of live processes; deletes all others. */
async function readClaims(folder: string): Promise<LiveClaim[]> {
  const live: LiveClaim[] = [];
  for (const name of await readdir(folder)) {
    const match = /^(\d+)-(\d*)-[0-9a-f-]{36}$/.exec(name);
    if (!match) continue;
    const owner = { pid: Number(match[1]), start: match[2] };
    if (isSameProcessAlive(owner)) live.push({ name, pid: owner.pid });
    else await removeClaim(join(folder, name));
  }
  return live;
}

/** Start time of a process, in ticks since boot. Linux only, where pids in containers are soon reused. */
function startTimeOf(pid: number | 'self'): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The process name in parentheses may contain anything; `starttime` is field 22, the 20th after it.
    return status.slice(status.lastIndexOf(')') + 2).split(' ')[19];
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
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
