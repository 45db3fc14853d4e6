/**
 * Queries of the inspector. Data of a run is refetched when the run's events report a change; until then the cached data is
 * shown.
 */
import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query';
import { findBridge } from '../state/desktop-bridge.ts';
import { type Existing, findExisting } from '../state/find-existing.ts';
import { useApi } from './api-context.tsx';

const FOREVER = Number.POSITIVE_INFINITY;

/** `mark` changes with every change of the files. */
export function useChanges(workId: string, mark: string) {
  const client = useApi();
  return useQuery({
    queryKey: ['changes', workId, mark],
    staleTime: 0,
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => (await client.works.changes({ workId }, { signal })).changes,
  });
}

export interface DiffOf {
  readonly workId: string;
  readonly path: string;
  readonly change?: number;
  readonly mark: string;
}

export function useFileDiff({ workId, path, change, mark }: DiffOf) {
  const client = useApi();
  const query = { path, ...(change === undefined ? {} : { change: String(change) }) };
  return useQuery({
    queryKey: ['file-diff', workId, path, change, mark],
    // A recorded change is immutable; the current file may change without an event.
    staleTime: change === undefined ? 0 : FOREVER,
    retry: false,
    queryFn: ({ signal }) => client.works.fileDiff({ workId, query }, { signal }),
  });
}

export interface NodeOf {
  readonly packageHash: string;
  readonly workflow: string;
  readonly nodeId: string;
}

/** A node with the text of its step; immutable under a hash. */
export function useNode(node: NodeOf | undefined) {
  const client = useApi();
  return useQuery({
    queryKey: ['node', node?.packageHash, node?.workflow, node?.nodeId],
    staleTime: FOREVER,
    queryFn: node
      ? ({ signal }) => {
          const { packageHash: hash, workflow, nodeId } = node;
          return client.packages.node({ hash, nodeId, query: { workflow } }, { signal });
        }
      : skipToken,
  });
}

export function useExisting(projectId: string, paths: readonly string[], mark: string) {
  const client = useApi();
  return useQuery<Existing>({
    queryKey: ['existing', projectId, paths, mark],
    staleTime: 0,
    placeholderData: keepPreviousData,
    queryFn:
      paths.length > 0 ? ({ signal }) => findExisting(client, projectId, paths, { signal }) : skipToken,
  });
}

/** Result of the log's integrity check. Repeated when the phase changes. */
export function useLogCheck(workId: string, phase: string) {
  const client = useApi();
  return useQuery({
    queryKey: ['log-check', workId, phase],
    staleTime: 60_000,
    queryFn: ({ signal }) => client.works.checkLog({ workId }, { signal }),
  });
}

/** The evidence sheet of a run; `mark` changes when it may be another one. */
export function useEvidence(workId: string | undefined, mark: string) {
  const client = useApi();
  return useQuery({
    queryKey: ['evidence', workId, mark],
    staleTime: 0,
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: workId === undefined ? skipToken : ({ signal }) => client.works.evidence({ workId }, { signal }),
  });
}

/** Context size of the model of a run or thread; `model` is part of the query key. */
export function useContextSize(workId: string | undefined, model: string) {
  const client = useApi();
  return useQuery({
    queryKey: ['context-size', workId, model],
    staleTime: FOREVER,
    retry: false,
    queryFn:
      workId === undefined
        ? skipToken
        : async ({ signal }) => (await client.works.contextSize({ workId }, { signal })).contextTokens,
  });
}

/** Whether the server can show a file in the system's file manager. */
export function useCanReveal(): boolean {
  const client = useApi();
  const { data } = useQuery({
    queryKey: ['system'],
    staleTime: FOREVER,
    queryFn: ({ signal }) => client.system.show({}, { signal }),
  });
  return findBridge() !== undefined || (data?.canReveal ?? false);
}
