/** Queries about the files of a project, cached until the watcher reports a change. */
import type { FileList } from '@crewagent/protocol/api/files';
import {
  keepPreviousData,
  type QueryClient,
  type UseQueryResult,
  useQueries,
  useQuery,
} from '@tanstack/react-query';
import { findBridge } from '../state/desktop-bridge.ts';
import { useApi } from './api-context.tsx';

export const FILE_KEYS = {
  all: (projectId: string) => ['files', projectId],
  lists: (projectId: string) => ['files', projectId, 'list'],
  list: (projectId: string, path: string) => ['files', projectId, 'list', path],
  reads: (projectId: string) => ['files', projectId, 'read'],
  read: (projectId: string, path: string) => ['files', projectId, 'read', path],
  changes: (projectId: string) => ['files', projectId, 'changes'],
} as const;

export function folderKey(projectId: string, path: string, hasHidden: boolean) {
  return [...FILE_KEYS.list(projectId, path), hasHidden];
}

/** Contents of several folders, in their order. */
export function useFolderLists(projectId: string, paths: readonly string[], hasHidden: boolean) {
  const client = useApi();
  return useQueries({
    combine: toFolders,
    queries: paths.map((path) => ({
      queryKey: folderKey(projectId, path, hasHidden),
      retry: false,
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        client.files.list(
          { projectId, query: hasHidden ? { path, hidden: 'true' as const } : { path } },
          { signal },
        ),
    })),
  });
}

interface KnownFolder {
  readonly list: FileList | undefined;
  readonly error: Error | null;
}

/** `combine` of `useQueries`; module-level, so that its result keeps its identity while no query changes. */
function toFolders(results: readonly UseQueryResult<FileList>[]): readonly KnownFolder[] {
  return results.map(({ data, error }) => ({ list: data, error }));
}

export function useFileContent(projectId: string, path: string) {
  const client = useApi();
  return useQuery({
    queryKey: FILE_KEYS.read(projectId, path),
    retry: false,
    queryFn: ({ signal }) => client.files.read({ projectId, query: { path } }, { signal }),
  });
}

/** Bytes of a file; `version` changes with the content. */
export function useFileBytes(projectId: string, path: string, version: string) {
  const client = useApi();
  return useQuery({
    queryKey: ['file-bytes', projectId, path, version],
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    // Images are large; the next view requests them again.
    gcTime: 0,
    queryFn: async ({ signal }) =>
      (await client.files.download({ projectId, query: { path } }, { signal })).blob(),
  });
}

/** File changes made by people, most recent first. */
export function useFileChanges(projectId: string) {
  const client = useApi();
  return useQuery({
    queryKey: FILE_KEYS.changes(projectId),
    retry: false,
    staleTime: 0,
    queryFn: async ({ signal }) => (await client.files.changes({ projectId }, { signal })).changes,
  });
}

/** Whether the server can show a file in the system's file manager. */
export function useCanReveal(): boolean {
  const client = useApi();
  const { data } = useQuery({
    queryKey: ['system'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => client.system.show({}, { signal }),
  });
  return findBridge() !== undefined || (data?.canReveal ?? false);
}

/** Files whose path matches the text; the previous matches stay until the next ones arrive. */
export function useFoundFiles(projectId: string | undefined, text: string) {
  const client = useApi();
  return useQuery({
    queryKey: ['found-files', projectId, text],
    enabled: projectId !== undefined,
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      client.files.find({ projectId: projectId ?? '', query: { text, limit: '30' } }, { signal }),
  });
}

/** Invalidates everything known about the files of a project. */
export function forgetFiles(queries: QueryClient, projectId: string): void {
  void queries.invalidateQueries({ queryKey: FILE_KEYS.all(projectId) });
}
