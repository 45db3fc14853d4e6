/**
 * Exclusive file locks, across processes and within one. Uses locks of the operating system where available, else claims.
 * Each checks for the other, so that processes with and without the addon never hold the same file.
 */
import { closeSync, fstatSync, ftruncateSync, lstatSync, readFileSync, writeSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { errnoOf, ifSystemAllows } from '../../../base/errno.ts';
import {
  type Claim,
  createClaim,
  isSameProcessAlive,
  type ProcessIdentity,
  readClaimant,
  thisProcess,
} from './lock-claims.ts';
import { openLock, openLockForReading, tryKernelLock } from './open-lock.ts';

export interface FileLock {
  release(): Promise<void>;
}

export type LockAttempt =
  | { readonly isAccepted: true; readonly lock: FileLock }
  /** `pid` of the holder, if known; `isSure` is false if it may be gone in a moment. */
  | {
      readonly isAccepted: false;
      readonly pid?: number | undefined;
      readonly isSure: boolean;
      /** Who has waited longest is next, however seldom it tries. */
      readonly isInOrder?: boolean;
    };

export interface LockOptions {
  /** Others may hold it shared at the same time. Without locks of the operating system it is exclusive all the same. */
  readonly isShared?: boolean | undefined;
  /** Does not use locks of the operating system. */
  readonly isClaimsOnly?: boolean | undefined;
  /** How long to wait for one holder; default: 0. */
  readonly waitMs?: number | undefined;
  /** Called once, after a second of waiting, with the pid of the holder if it is known. */
  onWait?(pid: number | undefined): void;
}

const PAUSE_MS = 10;
/** Each attempt to take a claim reads all claims, so that many that wait must try less often. */
const MAX_PAUSE_MS = 100;
/** Minimum wait for a holder that may only be probing the lock, or that started at the same moment. */
const PROBE_WAIT_MS = 100;
const REPORT_AFTER_MS = 1_000;

/** Creates the file; its folder must exist. */
export async function lockFile(file: string, options: LockOptions = {}): Promise<LockAttempt> {
  const claim = createClaim(claimsOf(file));
  let isAccepted = false;
  try {
    const outcome = await retry(async () => {
      const attempt = options.isClaimsOnly ? 'unsupported' : await tryKernel(file, options.isShared);
      return attempt === 'unsupported' ? tryClaim(file, claim) : attempt;
    }, options);
    ({ isAccepted } = outcome);
    return outcome;
  } finally {
    if (!isAccepted) await claim.release();
  }
}

async function retry(attempt: () => Promise<LockAttempt>, options: LockOptions): Promise<LockAttempt> {
  const { waitMs = 0 } = options;
  const beganAt = performance.now();
  let startedAt = beganAt;
  let holder: number | undefined;
  let isReported = false;
  for (;;) {
    const outcome = await attempt();
    if (outcome.isAccepted) return outcome;
    const timeoutMs = outcome.isSure ? waitMs : Math.max(waitMs, PROBE_WAIT_MS);
    const now = performance.now();
    if (waitMs > 0 && outcome.pid !== holder) {
      // The one before has finished: there is progress.
      startedAt = now;
      holder = outcome.pid;
    }
    if (now - startedAt >= timeoutMs) return outcome;
    if (now - beganAt >= REPORT_AFTER_MS && !isReported) {
      isReported = true;
      options.onWait?.(outcome.pid);
    }
    const pauseMs = outcome.isInOrder ? Math.min(PAUSE_MS + (now - beganAt) / 10, MAX_PAUSE_MS) : PAUSE_MS;
    // Random, so that two processes do not retry in step.
    await setTimeout(pauseMs * (0.5 + Math.random()));
  }
}

/** Does not prevent other processes from locking the file. */
export async function isFileLocked(file: string, options: LockOptions = {}): Promise<boolean> {
  if ((await readClaimant(claimsOf(file))) !== undefined) return true;
  const probe = options.isClaimsOnly ? 'unsupported' : probeKernel(file);
  if (probe !== 'unsupported') return probe === 'held';
  const holder = readHolder(file);
  return holder !== undefined && isSameProcessAlive(holder);
}

async function tryKernel(file: string, isShared = false): Promise<LockAttempt | 'unsupported'> {
  const fd = openLock(file);
  let isLocked = false;
  try {
    const attempt = tryKernelLock(fd, { isShared });
    if (attempt === 'unsupported') return attempt;
    if (attempt === 'held') return describeHolder(file);
    const { ino, dev, size } = fstatSync(fd, { bigint: true });
    const there = lstatSync(file, { bigint: true });
    // The file may have been moved with its folder between opening and locking.
    if (ino !== there.ino || dev !== there.dev) return { isAccepted: false, isSure: false };
    if (!isShared) writeHolder(fd, size > 0n);
    const pid = await readClaimant(claimsOf(file));
    if (pid !== undefined) {
      if (!isShared) ftruncateSync(fd, 0);
      return { isAccepted: false, pid, isSure: false };
    }
    isLocked = true;
    return { isAccepted: true, lock: toLock(fd, isShared) };
  } finally {
    if (!isLocked) closeSync(fd);
  }
}

/** A claim that is not accepted yet may stay, so that it is the next one; giving up releases it. */
async function tryClaim(file: string, claim: Claim): Promise<LockAttempt> {
  const pid = await claim.tryTake();
  if (pid !== undefined) return { isAccepted: false, pid, isSure: false, isInOrder: true };
  const holder = readHolder(file);
  if (!holder || !isSameProcessAlive(holder)) return { isAccepted: true, lock: claim };
  // A process with locks of the operating system.
  await claim.release();
  return { isAccepted: false, pid: holder.pid, isSure: true };
}

function probeKernel(file: string): 'held' | 'free' | 'unsupported' {
  const fd = openLockForReading(file);
  if (fd === undefined) return 'free';
  try {
    const attempt = tryKernelLock(fd, { isShared: true });
    return attempt === 'taken' ? 'free' : attempt;
  } finally {
    closeSync(fd);
  }
}

function describeHolder(file: string): LockAttempt {
  const holder = readHolder(file);
  return holder && isSameProcessAlive(holder)
    ? { isAccepted: false, pid: holder.pid, isSure: true }
    : { isAccepted: false, isSure: false };
}

/** The holder recorded in the file; it may have been killed. */
function readHolder(file: string): ProcessIdentity | undefined {
  const fd = openLockForReading(file);
  if (fd === undefined) return undefined;
  try {
    const match = /^\{"pid":(\d+),(?:"start":"(\d+)",)?"since":/.exec(readFileSync(fd, 'utf8'));
    return match ? { pid: Number(match[1]), start: match[2] } : undefined;
  } finally {
    closeSync(fd);
  }
}

/** Informational. Ignores a full disk: it must still be possible to delete a run. */
function writeHolder(fd: number, hasContent: boolean): void {
  const holder = { ...thisProcess(), since: new Date().toISOString() };
  ifSystemAllows(() => {
    // A holder that was killed left its record.
    if (hasContent) ftruncateSync(fd, 0);
    writeSync(fd, `${JSON.stringify(holder)}\n`, 0);
  });
}

function toLock(fd: number, isShared: boolean): FileLock {
  let isReleased = false;
  return {
    async release() {
      if (isReleased) return;
      isReleased = true;
      try {
        if (!isShared) ftruncateSync(fd, 0);
      } catch (error) {
        // Closing the file releases the lock.
        if (errnoOf(error) === undefined) throw error;
      } finally {
        closeSync(fd);
      }
    },
  };
}

function claimsOf(file: string): string {
  return `${file}.claims`;
}
