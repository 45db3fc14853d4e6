/** A feed of what changes in a folder; the folder is watched only while somebody reads. */
import type { FileWatchMessage } from '@crewagent/protocol/api/files';
import { createFeed, type FeedTiming, toFrame } from './feed.ts';

export interface WatchedFolder {
  readonly isWatching: boolean;
  watch(listener: (message: FileWatchMessage) => void): () => void;
}

export type FileFeed = ReturnType<typeof createFileFeed>;

export function createFileFeed(folder: WatchedFolder, timing: Partial<FeedTiming> | undefined) {
  let unwatch: (() => void) | undefined;
  const watching = (): string => toMessage({ type: 'watching', isWatching: folder.isWatching });
  const feed = createFeed({
    // A reader that missed messages reloads everything it shows.
    snapshot: () => watching() + toMessage({ type: 'overflow' }),
    timing,
    onReaders(readers) {
      if (readers > 0) unwatch ??= folder.watch((message) => feed.publish(toMessage(message)));
      else {
        unwatch?.();
        unwatch = undefined;
      }
    },
  });
  return {
    open: (onStalled: () => void): ReadableStream<Uint8Array> => feed.open({ first: watching(), onStalled }),
    close: feed.close,
  };
}

function toMessage(message: FileWatchMessage): string {
  return toFrame(JSON.stringify(message), { event: 'files' });
}
