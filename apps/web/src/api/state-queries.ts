/** Queries for the state document of a run, its history and the model's context. Refetched when the run's view changes. */
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { foldStateHistory, NO_HISTORY, type StateHistory } from '../state/state-history.ts';
import { useApi } from './api-context.tsx';

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
