/**
 * Queries of the inspector. Data of a run is refetched when the run's events report a change; until then the cached data is
 * shown.
 */
import { keepPreviousData, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { type Existing, findExisting } from '../state/find-existing.ts';
import { foldStateHistory, NO_HISTORY, type StateHistory } from '../state/state-history.ts';
import { FOREVER, LIVE, useApiQuery } from './api-context.tsx';

/** `mark` changes with every change of the files. */
export function useChanges(workId: string, mark: string) {
  return useApiQuery(
    ['changes', workId, mark],
    async ({ works }, call) => (await works.changes({ workId }, call)).changes,
    LIVE,
  );
}

export interface DiffOf {
  readonly workId: string;
  readonly path: string;
  readonly change?: number;
  readonly mark: string;
}

export function useFileDiff({ workId, path, change, mark }: DiffOf) {
  const query = { path, change: change === undefined ? undefined : String(change) };
  return useApiQuery(
    ['file-diff', workId, path, change, mark],
    ({ works }, call) => works.fileDiff({ workId, query }, call),
    // A recorded change is immutable; the current file may change without an event.
    { ...(change === undefined ? { staleTime: 0 } : FOREVER), retry: false },
  );
}

export interface NodeOf {
  readonly packageHash: string;
  readonly workflow: string;
  readonly nodeId: string;
}

/** A node with the text of its step. */
export function useNode(node: NodeOf | undefined) {
  const { packageHash: hash = '', workflow = '', nodeId = '' } = node ?? {};
  return useApiQuery(
    ['node', hash, workflow, nodeId],
    ({ packages }, call) => packages.node({ hash, nodeId, query: { workflow } }, call),
    { ...FOREVER, enabled: node !== undefined },
  );
}

export function useExisting(projectId: string, paths: readonly string[], mark: string) {
  return useApiQuery<Existing>(
    ['existing', projectId, paths, mark],
    (client, call) => findExisting(client, projectId, paths, call),
    { staleTime: 0, placeholderData: keepPreviousData, enabled: paths.length > 0 },
  );
}

/** Result of the log's integrity check. Repeated when the phase changes. */
export function useLogCheck(workId: string, phase: string) {
  return useApiQuery(['log-check', workId, phase], ({ works }, call) => works.checkLog({ workId }, call), {
    staleTime: 60_000,
  });
}

/** The evidence sheet of a run; `mark` changes when it may be another one. */
export function useEvidence(workId = '', mark: string) {
  return useApiQuery(['evidence', workId, mark], ({ works }, call) => works.evidence({ workId }, call), {
    ...LIVE,
    enabled: workId !== '',
  });
}

/** Context size of the model of a run or thread; `model` is part of the query key. */
export function useContextSize(workId = '', model: string) {
  return useApiQuery(
    ['context-size', workId, model],
    async ({ works }, call) => (await works.contextSize({ workId }, call)).contextTokens,
    { ...FOREVER, retry: false, enabled: workId !== '' },
  );
}

const documentKey = (runId: string) => ['state', runId, 'document'] as const;
const historyKey = (runId: string) => ['state', runId, 'history'] as const;

export interface LoadedState {
  readonly text: string;
  readonly sha256: string;
}

/** The state document of a run; `mark` changes with every change of it. */
export function useStateDocument(runId: string, mark: unknown) {
  useRefetchOnChange(['state', runId], mark);
  return useApiQuery<LoadedState>(documentKey(runId), ({ works }, call) =>
    works.state({ workId: runId }, call),
  );
}

/** Puts a saved document into the query cache. */
export function useCacheState(runId: string): (state: LoadedState) => void {
  const queries = useQueryClient();
  return ({ text, sha256 }) => queries.setQueryData(documentKey(runId), { text, sha256 });
}

/** Only events since the last known one are read. */
export function useStateHistory(runId: string) {
  const queries = useQueryClient();
  return useApiQuery<StateHistory>(
    historyKey(runId),
    async ({ works }, call) => {
      let history = queries.getQueryData<StateHistory>(historyKey(runId)) ?? NO_HISTORY;
      while (true) {
        const query = { after: String(history.seq), limit: '1000' };
        const { events, lastSeq } = await works.log({ workId: runId, query }, call);
        history = foldStateHistory(history, events);
        if (events.length === 0 || history.seq >= lastSeq) return history;
      }
    },
    { staleTime: 0 },
  );
}

export function useShownContext(workId: string, mark: string) {
  return useApiQuery(['context', workId, mark], ({ works }, call) => works.context({ workId }, call), LIVE);
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
