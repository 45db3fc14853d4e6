/**
 * Turns to change a file of the store. Changes of this process wait in a queue, and only the process competes for the lock:
 * it keeps the lock for the changes that wait already, but not for so long that other processes starve.
 */
import { basename, dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { CrewError } from '../../../base/crew-error.ts';
import { sweepTempFiles } from '../../../base/staging.ts';
import { type FileLock, lockFile } from './file-lock.ts';

export interface TurnOptions {
  /** Receives a sentence if another process makes this one wait for more than a second. */
  readonly onWait?: ((message: string) => void) | undefined;
  /** How long to wait for a process that is alive; default: 30 s. */
  readonly waitMs?: number | undefined;
  /** Temp files of killed processes in the folder are removed at another time. */
  readonly isSweptElsewhere?: boolean | undefined;
}

const WAIT_MS = 30_000;
const KEEP_MS = 100;
/** Longer than the pauses between two attempts of a process that waits. */
const YIELD_MS = 25;

interface Turn {
  run(): Promise<void>;
  reject(error: unknown): void;
}

/** By file, while it is being changed. One per process, as its locks are. */
const waiting = new Map<string, Turn[]>();

/** Runs `work` while no other change of the file is in progress, in this process or another. */
export function takeTurn<T>(file: string, work: () => Promise<T>, options: TurnOptions): Promise<T> {
  return new Promise((resolve, reject) => {
    const turn = { run: () => work().then(resolve, reject), reject };
    const queue = waiting.get(file);
    if (queue) {
      queue.push(turn);
      return;
    }
    const turns = [turn];
    waiting.set(file, turns);
    void runTurns(file, turns, options);
  });
}

/** Runs `work`, which must be short, while nobody changes the file. Any number of them run at the same time. */
export async function holdFile<T>(file: string, work: () => Promise<T>, options: TurnOptions): Promise<T> {
  const held = await lock(file, options, true);
  try {
    return await work();
  } finally {
    await held.release();
  }
}

async function runTurns(file: string, turns: Turn[], options: TurnOptions): Promise<void> {
  while (turns.length > 0) {
    try {
      await runSome(turns, await lock(file, options));
      if (turns.length > 0) await setTimeout(YIELD_MS);
    } catch (error) {
      for (const { reject } of turns.splice(0)) reject(error);
    }
  }
  waiting.delete(file);
}

async function runSome(turns: Turn[], held: FileLock): Promise<void> {
  const endMs = performance.now() + KEEP_MS;
  try {
    do await turns.shift()?.run();
    while (turns.length > 0 && performance.now() < endMs);
  } finally {
    await held.release();
  }
}

async function lock(
  file: string,
  { onWait, waitMs = WAIT_MS, isSweptElsewhere = false }: TurnOptions,
  isShared = false,
): Promise<FileLock> {
  const name = basename(file);
  const attempt = await lockFile(`${file}.lock`, {
    waitMs,
    isShared,
    onWait: (pid) => onWait?.(`Waiting for ${describeHolder(pid)}, which is writing ${name}.`),
  });
  if (!attempt.isAccepted) {
    const holder = describeHolder(attempt.pid);
    throw new CrewError(
      'DISK',
      `${describeChange(file)}: ${holder} has been writing it for ${Math.round(waitMs / 1000)} seconds. Close it, then try again.`,
    );
  }
  if (isShared || isSweptElsewhere) return attempt.lock;
  try {
    await sweepTempFiles(dirname(file), { isDeep: false });
  } catch (error) {
    await attempt.lock.release();
    throw error;
  }
  return attempt.lock;
}

export function describeChange(file: string): string {
  return `Could not change ${basename(file)}`;
}

function describeHolder(pid: number | undefined): string {
  return pid === undefined ? 'another process' : `process ${pid}`;
}
