/**
 * The open project files: one `ProjectFiles` and one watcher per project, however many readers; released when unused.
 */
import { createSecretCheck, openProjectFiles, type ProjectFiles, type Runtime } from '@crewagent/core';
import type { FileWatchMessage } from '@crewagent/protocol/api/files';
import { createFeed, type FeedTiming, toFrame } from '../streams/feed.ts';

interface Held {
  readonly files: ProjectFiles;
  readonly feed: ReturnType<typeof createFeed>;
}

export type HeldFiles = ReturnType<typeof createHeldFiles>;

export function createHeldFiles(runtime: Runtime, timing?: Partial<FeedTiming>) {
  const held = new Map<string, Promise<Held>>();

  const open = async (projectId: string): Promise<Held> => {
    const { store } = runtime;
    const project = await store.projects.read(projectId);
    const { secretPatterns } = (await runtime.settings()).tools.fs;
    const files = await openProjectFiles({
      store,
      project,
      isSecret: createSecretCheck(secretPatterns),
      now: () => new Date(),
    });
    let unwatch: (() => void) | undefined;
    const feed = createFeed({
      // A reader that missed messages reloads everything it shows.
      snapshot: () =>
        toMessage({ type: 'watching', isWatching: files.isWatching }) + toMessage({ type: 'overflow' }),
      timing,
      onReaders(readers) {
        if (readers > 0) unwatch ??= files.watch((message) => feed.publish(toMessage(message)));
        else {
          unwatch?.();
          unwatch = undefined;
        }
      },
    });
    return { files, feed };
  };
  const hold = (projectId: string): Promise<Held> => {
    const known = held.get(projectId);
    if (known) return known;
    const opened = open(projectId);
    held.set(projectId, opened);
    // A project that cannot be opened now may be opened later.
    opened.catch(() => held.delete(projectId));
    return opened;
  };
  const release = async (projectId: string): Promise<void> => {
    const found = held.get(projectId);
    held.delete(projectId);
    if (!found) return;
    const { files, feed } = await found;
    feed.close();
    await files.close();
  };

  return {
    of: async (projectId: string): Promise<ProjectFiles> => (await hold(projectId)).files,
    /** Opens a stream of file changes for a new reader. */
    async watch(projectId: string, onStalled: () => void): Promise<ReadableStream<Uint8Array>> {
      const { files, feed } = await hold(projectId);
      return feed.open({ first: toMessage({ type: 'watching', isWatching: files.isWatching }), onStalled });
    },
    release,
    async close(): Promise<void> {
      await Promise.allSettled([...held.keys()].map(release));
    },
  };
}

function toMessage(message: FileWatchMessage): string {
  return toFrame(JSON.stringify(message), { event: 'files' });
}
