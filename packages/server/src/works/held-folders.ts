/** The package folders that are open for editing, with one watcher each, however many readers. */
import type { AuthorFolders, Runtime } from '@crewagent/core';
import type { FeedTiming } from '../streams/feed.ts';
import { createFileFeed, type FileFeed } from '../streams/file-feed.ts';

export type HeldFolders = ReturnType<typeof createHeldFolders>;

export function createHeldFolders(runtime: Runtime, timing?: Partial<FeedTiming>) {
  let folders: Promise<AuthorFolders> | undefined;
  const feeds = new Map<string, FileFeed>();
  const of = (): Promise<AuthorFolders> => (folders ??= runtime.authorFolders());
  return {
    /** Loads the code with the first call. */
    of,
    /** Opens a stream of file changes for a new reader. */
    async watch(folderId: string, onStalled: () => void): Promise<ReadableStream<Uint8Array>> {
      const folder = (await of()).get(folderId);
      const feed = feeds.get(folderId) ?? createFileFeed(folder, timing);
      feeds.set(folderId, feed);
      return feed.open(onStalled);
    },
    async close(): Promise<void> {
      for (const feed of feeds.values()) feed.close();
      await (await folders)?.close();
    },
  };
}
