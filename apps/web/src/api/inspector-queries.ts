/**
 * Queries of the inspector. Data of a run is refetched when the run's events report a change; until then the cached data is
 * shown.
 */
import { keepPreviousData, skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { findBridge } from '../state/desktop-bridge.ts';
import { type Existing, findExisting } from '../state/find-existing.ts';
import { foldStateHistory, NO_HISTORY, type StateHistory } from '../state/state-history.ts';
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

const documentKey = (runId: string) => ['state', runId, 'document'] as const;
const historyKey = (runId: string) => ['state', runId, 'history'] as const;

export interface LoadedState {
  readonly text: string;
  readonly sha256: string;
}

/** `mark` changes with every change of the document. */
export function useStateDocument(runId: string, mark: unknown) {
  const client = useApi();
  useRefetchOnChange(['state', runId], mark);
  return useQuery({
    queryKey: documentKey(runId),
    queryFn: ({ signal }): Promise<LoadedState> => client.works.state({ workId: runId }, { signal }),
  });
}

/** Puts a saved document into the query cache. */
export function useCacheState(runId: string): (state: LoadedState) => void {
  const queries = useQueryClient();
  return ({ text, sha256 }) => queries.setQueryData(documentKey(runId), { text, sha256 });
}

/** Only events since the last known one are read. */
export function useStateHistory(runId: string) {
  const client = useApi();
  const queries = useQueryClient();
  return useQuery({
    queryKey: historyKey(runId),
    staleTime: 0,
    queryFn: async ({ signal }): Promise<StateHistory> => {
      let history = queries.getQueryData<StateHistory>(historyKey(runId)) ?? NO_HISTORY;
      while (true) {
        const query = { after: String(history.seq), limit: '1000' };
        const { events, lastSeq } = await client.works.log({ workId: runId, query }, { signal });
        history = foldStateHistory(history, events);
        if (events.length === 0 || history.seq >= lastSeq) return history;
      }
    },
  });
}

export function useShownContext(workId: string, mark: string) {
  const client = useApi();
  return useQuery({
    queryKey: ['context', workId, mark],
    staleTime: 0,
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => client.works.context({ workId }, { signal }),
  });
}

function useRefetchOnChange(queryKey: readonly string[], mark: unknown): void {
  const queries = useQueryClient();
  const known = useRef(mark);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the mark triggers the refetch
  useEffect(() => {
    if (known.current === mark) return;
    known.current = mark;
    void queries.invalidateQueries({ queryKey });
  }, [mark, queries]);
}
