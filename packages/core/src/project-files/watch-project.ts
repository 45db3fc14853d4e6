/**
 * Tells everybody who asks what happens to the files of a project. The system is asked once, however many listen, and only
 * while somebody does.
 */
import type { FileWatchMessage } from '@crewagent/protocol/api/files';
import type { MountedTree } from '../mounts/mounted-tree.ts';
import { startWatchRound, type WatchRound } from './watch-round.ts';
import type { SystemLimits } from './watch-tree.ts';

export type WatchListener = (message: FileWatchMessage) => void;

export interface ProjectWatch {
  readonly isWatching: boolean;
  /** Tells what happens until what it returns is called. The first message says whether anything will be told. */
  listen(listener: WatchListener): () => void;
  close(): Promise<void>;
}

export function watchProject(tree: MountedTree, limits: SystemLimits = {}): ProjectWatch {
  const listeners = new Set<WatchListener>();
  let round: WatchRound | undefined;
  const tell = (message: FileWatchMessage): void => {
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
      // Of its own, so that one who listens twice can stop once.
      const own: WatchListener = (message) => listener(message);
      const isWatching = round?.isWatching;
      // Whoever comes later is told what the others were, and never while still asking.
      if (isWatching !== undefined)
        queueMicrotask(() => {
          if (listeners.has(own)) own({ type: 'watching', isWatching });
        });
      listeners.add(own);
      round ??= startWatchRound({ tree, tell, ...limits });
      return () => {
        listeners.delete(own);
        if (listeners.size === 0) void stop();
      };
    },
    async close() {
      listeners.clear();
      await stop();
    },
  };
}
