/**
 * File system notifications of a folder. They name the changed entry; the kind of change is unreliable.
 */
import { realpathSync, watch } from 'node:fs';
import { sep } from 'node:path';

/** Whether a whole tree can be watched at once. Linux watches single folders. */
export const WATCHES_TREES = process.platform === 'darwin' || process.platform === 'win32';

export interface WatchOptions {
  /** Include subfolders. */
  readonly isDeep: boolean;
  /** Path of the changed entry, relative to the watched folder. `isRename` if it was added, removed or replaced. */
  onTouched(segments: readonly string[], isRename: boolean): void;
  /** The folder can no longer be watched. */
  onLost(): void;
}

/** Active when this returns; returns a function that stops it. Never keeps the process alive. */
export function watchPath(path: string, { isDeep, onTouched, onLost }: WatchOptions): () => void {
  // A tree is watched by its real path, which must stay valid after the folder is closed.
  const name = isDeep ? realpathSync(path) : path;
  const watcher = watch(name, { persistent: false, recursive: isDeep }, (type, touched) => {
    if (touched !== null) onTouched(touched.split(sep), type === 'rename');
  });
  watcher.on('error', onLost);
  return () => watcher.close();
}
