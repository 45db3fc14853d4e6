/**
 * Lets processes that share a store detect each other's changes at a cost that does not grow with the store: every writer
 * of a record touches the folder of the record and the folder of all projects. An unchanged modification time means
 * unchanged records. A mark is only a hint: a thorough check also finds unmarked changes.
 */
import { type BigIntStats, type FSWatcher, statSync, utimesSync, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { errnoOf, ifPresent, ifSystemAllows, withDiskErrors } from '../../base/errno.ts';
import type { StoreLayout } from './layout.ts';

/** `folder` contains the runs or the conversations of a project. Call it after the change. */
export async function markChange(store: StoreLayout, folder: string): Promise<void> {
  for (const touched of [folder, store.projectsFolder]) {
    const now = new Date();
    ifSystemAllows(() => utimesSync(touched, now, now));
  }
}

/** Interval of attempts to watch a store that has no projects yet, or that the system refused to watch. */
const RETRY_MS = 5_000;

/** Calls `onMark` when a process, this one included, has marked a change. Returns a function that ends it. */
export function watchMarks(store: StoreLayout, onMark: () => void): () => void {
  let watcher: FSWatcher | undefined;
  let timer: NodeJS.Timeout | undefined;
  const retry = (): void => {
    watcher?.close();
    watcher = undefined;
    timer = setTimeout(start, RETRY_MS).unref();
  };
  const start = (): void => {
    try {
      watcher = watch(store.projectsFolder, { persistent: false }, onMark).on('error', retry);
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      retry();
    }
  };
  start();
  return () => {
    clearTimeout(timer);
    watcher?.close();
  };
}

/** Changes whenever the file does; undefined if there is none. */
export async function stampOf(file: string): Promise<string | undefined> {
  return toStamp(await ifPresent(stat(file, { bigint: true })));
}

/** `stampOf` for thousands of files: a tenth of the time, and nothing else happens meanwhile. */
export function readStamp(file: string): string | undefined {
  return toStamp(statSync(file, { bigint: true, throwIfNoEntry: false }));
}

function toStamp(found: BigIntStats | undefined): string | undefined {
  return found && `${found.ino}:${found.size}:${found.mtimeNs}`;
}

/** Of a folder whose entries are marked, or of a file. */
export interface FileMark {
  readonly stamp: string;
  /** False while a second change could still get the same modification time. */
  readonly isSettled: boolean;
}

/** Coarsest timestamp resolution of a supported file system. */
const CLOCK_MS = 2_000;

/** Call it before reading the file. Undefined if there is none, or if it cannot be examined, which reading it reports. */
export function readFileMark(file: string): FileMark | undefined {
  const found = ifSystemAllows(() => statSync(file, { bigint: true, throwIfNoEntry: false }));
  if (!found) return undefined;
  // Not the time of modification, which a copy of an older file may bring with it.
  const { ino, size, ctimeNs, ctimeMs } = found;
  return { stamp: `${ino}:${size}:${ctimeNs}`, isSettled: Date.now() - Number(ctimeMs) > CLOCK_MS };
}

/** Call it before reading the content of the folder. */
export async function readMark(folder: string): Promise<FileMark> {
  return withDiskErrors('Could not check a folder of the store', async () => {
    try {
      const { ino, mtimeNs, mtimeMs } = await stat(folder, { bigint: true });
      const ageMs = Date.now() - Number(mtimeMs);
      return { stamp: `${ino}:${mtimeNs}`, isSettled: ageMs > CLOCK_MS };
    } catch (error) {
      if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR')
        return { stamp: 'missing', isSettled: true };
      throw error;
    }
  });
}

/** Whether the content that was read after `before` is still current. */
export function isUnchanged(before: FileMark | undefined, now: FileMark): boolean {
  return before?.isSettled === true && before.stamp === now.stamp;
}
