/**
 * Keeps the cached files of a project current while components use them: one stream for all of them, none while the page is
 * hidden (browsers allow few connections per server), and a full refresh when it is visible again.
 */
import type { ApiClient } from '@crewagent/protocol/api/client';
import type { FileEvent } from '@crewagent/protocol/api/files';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useApi } from '../api/api-context.tsx';
import { FILE_KEYS, forgetFiles } from '../api/files-queries.ts';
import { isAtOrIn, parentOf } from './paths.ts';

export function useFileWatch(projectId: string): void {
  const client = useApi();
  const queries = useQueryClient();
  useEffect(() => watch(client, queries, projectId), [client, queries, projectId]);
}

interface Watch {
  watchers: number;
  readonly stop: () => void;
}

const watches = new WeakMap<QueryClient, Map<string, Watch>>();

function watch(client: ApiClient, queries: QueryClient, projectId: string): () => void {
  const all = watches.get(queries) ?? new Map<string, Watch>();
  watches.set(queries, all);
  const known = all.get(projectId) ?? { watchers: 0, stop: start(client, queries, projectId) };
  all.set(projectId, known);
  known.watchers++;
  return () => {
    known.watchers--;
    // Deferred: a component that replaces the last watcher mounts right after.
    setTimeout(() => {
      if (known.watchers > 0 || all.get(projectId) !== known) return;
      all.delete(projectId);
      known.stop();
    });
  };
}

function start(client: ApiClient, queries: QueryClient, projectId: string): () => void {
  let stream: AbortController | undefined;
  const read = async (signal: AbortSignal): Promise<void> => {
    for await (const { data } of client.files.events({ projectId }, { signal })) {
      if (signal.aborted) return;
      if (data.type === 'changes') forgetChanged(queries, projectId, data.changes);
      // Before the stream was open, or after an overflow, anything may have changed.
      else forgetFiles(queries, projectId);
    }
  };
  const follow = (): void => {
    const isSeen = document.visibilityState === 'visible';
    if (isSeen === (stream !== undefined)) return;
    stream?.abort();
    stream = isSeen ? new AbortController() : undefined;
    // If watching is impossible, queries are refetched on window focus.
    if (stream) read(stream.signal).catch(() => undefined);
  };
  follow();
  document.addEventListener('visibilitychange', follow);
  return () => {
    document.removeEventListener('visibilitychange', follow);
    stream?.abort();
  };
}

function forgetChanged(queries: QueryClient, projectId: string, changes: readonly FileEvent[]): void {
  const paths = changes.map(({ path }) => path);
  const written = changes.flatMap(({ path, kind }) => (kind === 'removed' ? [] : [path]));
  const folders = new Set(
    changes.flatMap(({ path, isFolder }) => (isFolder ? [path, parentOf(path)] : [parentOf(path)])),
  );
  void queries.invalidateQueries({
    queryKey: FILE_KEYS.lists(projectId),
    predicate: ({ queryKey }) => folders.has(String(queryKey[3])),
  });
  void queries.invalidateQueries({
    queryKey: FILE_KEYS.reads(projectId),
    predicate: ({ queryKey }) => paths.some((path) => isAtOrIn(String(queryKey[3]), path)),
  });
  void queries.invalidateQueries({
    queryKey: FILE_KEYS.versions(projectId),
    predicate: ({ queryKey }) => written.some((path) => isAtOrIn(String(queryKey[2]), path)),
  });
  void queries.invalidateQueries({ queryKey: FILE_KEYS.changes(projectId) });
}
