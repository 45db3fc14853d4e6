/**
 * Locking where the operating system's locks cannot be had. Whoever wants the lock puts a file with a name of its own into
 * a folder of claims and then looks who else is there: of two that come at once at least one sees the other and steps back.
 * A claim of a dead process counts for nothing, and because names never come twice anybody may delete it.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../../base/errno.ts';
import { isAlive } from '../../base/staging.ts';
import { hasClaimsFolder } from './open-lock.ts';

/** A process, told apart from a later one with the same number where the system says when it began. */
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
  const { pid, start } = await thisProcess();
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

/** The process that has a claim, if one has. */
export async function readClaimant(folder: string): Promise<number | undefined> {
  if (!(await hasClaimsFolder(folder))) return undefined;
  try {
    return (await readClaims(folder))[0]?.pid;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

export async function thisProcess(): Promise<ProcessIdentity> {
  return { pid: process.pid, start: await startOf('self') };
}

/** In doubt it is. */
export async function isSameProcessAlive({ pid, start }: ProcessIdentity): Promise<boolean> {
  if (!isAlive(pid)) return false;
  const startNow = start ? await startOf(pid) : undefined;
  return startNow === undefined || startNow === start;
}

interface LiveClaim {
  readonly name: string;
  readonly pid: number;
}

/** The claims of living processes; the others are deleted on the way. */
async function readClaims(folder: string): Promise<LiveClaim[]> {
  const live: LiveClaim[] = [];
  for (const name of await readdir(folder)) {
    const match = /^(\d+)-(\d*)-[0-9a-f-]{36}$/.exec(name);
    if (!match) continue;
    const owner = { pid: Number(match[1]), start: match[2] };
    if (await isSameProcessAlive(owner)) live.push({ name, pid: owner.pid });
    else await removeClaim(join(folder, name));
  }
  return live;
}

/** When a process began, in ticks since the machine did; Linux only, where containers give out the same few numbers. */
async function startOf(pid: number | 'self'): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  try {
    const status = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may hold anything; behind it the fields are numbers, this one the 22nd of all.
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
    await hasClaimsFolder(folder);
  }
}

async function removeClaim(claim: string): Promise<void> {
  try {
    await unlink(claim);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}
