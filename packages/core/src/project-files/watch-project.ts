/**
 * Notifies listeners of changes to a project's files. One system watch serves all listeners, and only while there are
 * any.
 */
import type { FileWatchMessage } from '@crewagent/protocol/api/files';
import type { MountedTree } from '../mounts/mounted-tree.ts';
import { startWatchRound, type WatchRound } from './watch-round.ts';
import type { SystemLimits } from './watch-tree.ts';

export type WatchListener = (message: FileWatchMessage) => void;

export interface ProjectWatch {
  readonly isWatching: boolean;
  /** Calls `listener` until the returned function is called. The first message says whether watching is possible. */
  listen(listener: WatchListener): () => void;
  close(): Promise<void>;
}

export function watchProject(tree: MountedTree, limits: SystemLimits = {}): ProjectWatch {
  const listeners = new Set<WatchListener>();
  let round: WatchRound | undefined;
  const notify = (message: FileWatchMessage): void => {
    for (const listener of [...listeners]) listener(message);
  };
  const stop = async (): Promise<void> => {
    const ended = round;
    round = undefined;
    await ended?.end();
  };

  return {
    get isWatching() {
      return round?.isWatching ?? false;
    },
    listen(listener) {
      // A wrapper, so that a listener registered twice can be removed once.
      const wrapper: WatchListener = (message) => listener(message);
      const isWatching = round?.isWatching;
      // A late listener gets the current status, asynchronously.
      if (isWatching !== undefined)
        queueMicrotask(() => {
          if (listeners.has(wrapper)) wrapper({ type: 'watching', isWatching });
        });
      listeners.add(wrapper);
      round ??= startWatchRound({ tree, notify, ...limits });
      return () => {
        listeners.delete(wrapper);
        if (listeners.size === 0) void stop();
      };
    },
    async close() {
      listeners.clear();
      await stop();
    },
  };
}
