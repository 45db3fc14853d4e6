/**
 * The open project files: one `ProjectFiles` and one watcher per project, however many readers; released when unused.
 */
import { createSecretCheck, openProjectFiles, type ProjectFiles, type Runtime } from '@crewagent/core';
import type { FeedTiming } from '../streams/feed.ts';
import { createFileFeed, type FileFeed } from '../streams/file-feed.ts';

interface Held {
  readonly files: ProjectFiles;
  readonly feed: FileFeed;
}

export type HeldFiles = ReturnType<typeof createHeldFiles>;

/** Where the files of a project are copies of what is stored elsewhere. */
export interface ProjectFolders {
  /** Brings the copy for readers up to date. */
  refresh(projectId: string): Promise<void>;
  /** During `use`, the folder of the project is a copy that may be changed; its changes are stored afterwards. */
  edit<T>(projectId: string, use: () => Promise<T>): Promise<T>;
}

export interface HeldFilesOptions {
  readonly timing?: Partial<FeedTiming> | undefined;
  readonly folders?: ProjectFolders | undefined;
}

export function createHeldFiles(runtime: Runtime, { timing, folders }: HeldFilesOptions = {}) {
  const held = new Map<string, Promise<Held>>();

  const openFiles = async (projectId: string): Promise<ProjectFiles> => {
    const { store } = runtime;
    const project = await store.projects.read(projectId);
    const { secretPatterns } = (await runtime.settings()).tools.fs;
    return openProjectFiles({
      store,
      project,
      isSecret: createSecretCheck(secretPatterns),
      now: () => new Date(),
    });
  };
  const open = async (projectId: string): Promise<Held> => {
    const files = await openFiles(projectId);
    return { files, feed: createFileFeed(files, timing) };
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

  const of = async (projectId: string): Promise<ProjectFiles> => {
    await folders?.refresh(projectId);
    return (await hold(projectId)).files;
  };

  return {
    /** For reading. */
    of,
    /** A change by a person. */
    async change<T>(projectId: string, work: (files: ProjectFiles) => Promise<T>): Promise<T> {
      if (!folders) return work(await of(projectId));
      const result = await folders.edit(projectId, async () => {
        const files = await openFiles(projectId);
        try {
          return await work(files);
        } finally {
          await files.close();
        }
      });
      await folders.refresh(projectId);
      return result;
    },
    /** Opens a stream of file changes for a new reader. */
    async watch(projectId: string, onStalled: () => void): Promise<ReadableStream<Uint8Array>> {
      return (await hold(projectId)).feed.open(onStalled);
    },
    release,
    async close(): Promise<void> {
      await Promise.allSettled([...held.keys()].map(release));
    },
  };
}
