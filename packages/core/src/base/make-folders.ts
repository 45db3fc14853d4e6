import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { errnoOf, systemError } from './errno.ts';

/**
 * Creates a folder with its parents, and returns the topmost one it created. Node's `recursive` never returns, nor lets a signal through,
 * where the system denies that a parent exists which does, as in `/proc`: it creates that one again and again.
 */
export function makeFolders(folder: string, mode = 0o777): string | undefined {
  const path = resolve(folder);
  if (isFolder(path)) return undefined;
  const topmost = makeFolders(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process was faster.
    if (isFolder(path)) return topmost;
    throw errnoOf(error) === 'EEXIST' ? systemError('ENOTDIR') : error;
  }
  return topmost ?? path;
}

/** Creates the folder of a file that a person named. */
export function makeFolderOf(file: string): void {
  makeFolders(dirname(resolve(file)));
}

function isFolder(path: string): boolean {
  // The root of a drive that is not there is its own parent.
  return dirname(path) === path || statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
