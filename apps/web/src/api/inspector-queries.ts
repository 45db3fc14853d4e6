/**
 * What the inspector asks the server for. What belongs to a run is asked for again when the run's own events say that it
 * changed; until then what is known is shown.
 */
import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query';
import { type Existing, findExisting } from '../state/find-existing.ts';
import { useApi } from './api-context.tsx';

const FOREVER = Number.POSITIVE_INFINITY;

/** `mark`: another one for each change. */
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
    // One change never becomes another; the file as it is now may, without a word.
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

/** With the text of its step; a hash never means anything else. */
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

/** Whether the log of a run is as it was written. Looked at again when the run comes to rest. */
export function useLogCheck(workId: string | undefined, phase: string) {
  const client = useApi();
  return useQuery({
    queryKey: ['log-check', workId, phase],
    staleTime: 60_000,
    queryFn:
      workId === undefined
        ? skipToken
        : async ({ signal }) => (await client.works.show({ workId }, { signal })).log,
  });
}

/** How much the model of a run or a talk takes; `model` tells one model from another. */
export function useContextSize(workId: string | undefined, model: string) {
  const client = useApi();
  return useQuery({
    queryKey: ['context-size', workId, model],
    staleTime: FOREVER,
    retry: false,
    queryFn:
      workId === undefined
        ? skipToken
        : async ({ signal }) => (await client.works.context({ workId }, { signal })).contextTokens,
  });
}

/** There is a desktop that a file can be shown on. */
export function useCanReveal(): boolean {
  const client = useApi();
  const { data } = useQuery({
    queryKey: ['system'],
    staleTime: FOREVER,
    queryFn: ({ signal }) => client.system.show({}, { signal }),
  });
  return data?.canReveal ?? false;
}
