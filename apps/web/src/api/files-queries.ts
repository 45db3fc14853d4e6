/** Queries about the files of a project, cached until the watcher reports a change. */
import type { ApiClient } from '@crewagent/protocol/api/client';
import type { FileList } from '@crewagent/protocol/api/files';
import { keepPreviousData, type QueryClient, type UseQueryResult, useQueries } from '@tanstack/react-query';
import { findBridge } from '../state/desktop-bridge.ts';
import { useOffers } from '../state/team-server.ts';
import { FOREVER, useApi, useApiQuery } from './api-context.tsx';

export const FILE_KEYS = {
  all: (projectId: string) => ['files', projectId],
  lists: (projectId: string) => ['files', projectId, 'list'],
  list: (projectId: string, path: string) => ['files', projectId, 'list', path],
  reads: (projectId: string) => ['files', projectId, 'read'],
  read: (projectId: string, path: string) => ['files', projectId, 'read', path],
  changes: (projectId: string) => ['files', projectId, 'changes'],
  versions: (projectId: string) => ['file-content', projectId],
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
        client.files.list({ projectId, query: { path, hidden: hasHidden ? 'true' : undefined } }, { signal }),
    })),
  });
}

/** `combine` of `useQueries`; module-level, so that its result keeps its identity while no query changes. */
function toFolders(results: readonly UseQueryResult<FileList>[]) {
  return results.map(({ data, error }) => ({ list: data, error }));
}

export function useFileContent(projectId: string, path: string) {
  return useApiQuery(
    FILE_KEYS.read(projectId, path),
    ({ files }, call) => files.read({ projectId, query: { path } }, call),
    { retry: false },
  );
}

/**
 * Content of a file that is shown beside its changes: not requested again when it is deleted before they are known. The files of a team
 * have what a run wrote a moment after it ended, so it is when the file is written.
 */
export function useFileVersion(projectId: string, path: string, version: string, { enabled = true } = {}) {
  return useApiQuery(
    [...FILE_KEYS.versions(projectId), path, version],
    ({ files }, call) => files.read({ projectId, query: { path } }, call),
    { ...FOREVER, retry: false, enabled },
  );
}

/** Bytes of a file; `version` changes with the content. */
export function useFileBytes(projectId: string, path: string, version: string) {
  return useApiQuery(
    ['file-bytes', projectId, path, version],
    async ({ files }, call) => (await files.download({ projectId, query: { path } }, call)).blob(),
    // Images are large; the next view requests them again.
    { ...FOREVER, retry: false, gcTime: 0 },
  );
}

/** File changes made by people, most recent first. */
export function useFileChanges(projectId: string) {
  return useApiQuery(
    FILE_KEYS.changes(projectId),
    async ({ files }, call) => (await files.changes({ projectId }, call)).changes,
    { retry: false, staleTime: 0 },
  );
}

/** Whether the server can show a file in the system's file manager. */
export function useCanReveal(): boolean {
  const { data } = useApiQuery(['system'], ({ system }, call) => system.show({}, call), FOREVER);
  const isOffered = useOffers('files.reveal');
  return isOffered && (findBridge() !== undefined || (data?.canReveal ?? false));
}

/** Shows a file in the file manager: of the desktop app, or of the machine that the server is on. */
export async function revealFile(client: ApiClient, projectId: string, path: string): Promise<void> {
  const bridge = findBridge();
  if (bridge) {
    const { projects } = await client.projects.list({});
    const folder = projects.find((project) => project.projectId === projectId)?.path;
    if (folder !== undefined && (await bridge.reveal(toAbsolutePath(folder, path)))) return;
  }
  await client.files.reveal({ projectId, body: { path } });
}

/** `path` is relative to the folder and has forward slashes. */
function toAbsolutePath(folder: string, path: string): string {
  const separator = /^[A-Za-z]:\\|^\\\\/.test(folder) ? '\\' : '/';
  const below = path.replace(/^@project\/?/, '').replaceAll('/', separator);
  return below === '' ? folder : `${folder.replace(/[\\/]$/, '')}${separator}${below}`;
}

/** Files whose path matches the text; the previous matches stay until the next ones arrive. */
export function useFoundFiles(projectId = '', text: string) {
  return useApiQuery(
    ['found-files', projectId, text],
    ({ files }, call) => files.find({ projectId, query: { text, limit: '30' } }, call),
    { enabled: projectId !== '', retry: false, placeholderData: keepPreviousData },
  );
}

/** Invalidates everything known about the files of a project. */
export function forgetFiles(queries: QueryClient, projectId: string): void {
  void queries.invalidateQueries({ queryKey: FILE_KEYS.all(projectId) });
}
