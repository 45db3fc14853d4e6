/** The package folders that are open for editing, with one watcher each, however many readers. */
import type { AuthorFolders, Runtime } from '@crewagent/core';
import type { FileWatchMessage } from '@crewagent/protocol/api/files';
import { createFeed, type Feed, type FeedTiming, toFrame } from '../streams/feed.ts';

export type HeldFolders = ReturnType<typeof createHeldFolders>;

export function createHeldFolders(runtime: Runtime, timing?: Partial<FeedTiming>) {
  let folders: Promise<AuthorFolders> | undefined;
  const feeds = new Map<string, Feed>();
  const of = (): Promise<AuthorFolders> => (folders ??= runtime.authorFolders());
  return {
    /** Loads the code with the first call. */
    of,
    /** Opens a stream of file changes for a new reader. */
    async watch(folderId: string, onStalled: () => void): Promise<ReadableStream<Uint8Array>> {
      const folder = (await of()).get(folderId);
      let unwatch: (() => void) | undefined;
      const watching = (): string => toMessage({ type: 'watching', isWatching: folder.isWatching });
      const feed: Feed =
        feeds.get(folderId) ??
        createFeed({
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
      feeds.set(folderId, feed);
      return feed.open({ first: watching(), onStalled });
    },
    async close(): Promise<void> {
      for (const feed of feeds.values()) feed.close();
      await (await folders)?.close();
    },
  };
}

function toMessage(message: FileWatchMessage): string {
  return toFrame(JSON.stringify(message), { event: 'files' });
}
