/**
 * The system's own notices of what happens in a folder. They name what was touched and say nothing reliable about how.
 */
import { realpathSync, watch } from 'node:fs';
import { sep } from 'node:path';

/** Whether a whole tree can be watched at once. Linux watches single folders. */
export const WATCHES_TREES = process.platform === 'darwin' || process.platform === 'win32';

export interface WatchOptions {
  /** Also what happens further down. */
  readonly isDeep: boolean;
  /** What was touched, from the watched folder down. `isRename` when it came or went, or took the place of something. */
  onTouched(segments: readonly string[], isRename: boolean): void;
  /** The folder can no longer be watched. */
  onLost(): void;
}

/** Watches from the moment it returns until what it returned is called. Never keeps the process alive. */
export function watchPath(path: string, { isDeep, onTouched, onLost }: WatchOptions): () => void {
  // A tree is watched by its name, which must be good for longer than the folder is open.
  const name = isDeep ? realpathSync(path) : path;
  const watcher = watch(name, { persistent: false, recursive: isDeep }, (type, touched) => {
    if (touched !== null) onTouched(touched.split(sep), type === 'rename');
  });
  watcher.on('error', onLost);
  return () => watcher.close();
}
