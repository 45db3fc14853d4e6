/**
 * Queries of the inspector. Data of a run is refetched when the run's events report a change; until then the cached data is
 * shown.
 */
import type { ApiClient, CallOptions } from '@crewagent/protocol/api/client';
import type { FileList } from '@crewagent/protocol/api/files';
import { keepPreviousData, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { foldStateHistory, NO_HISTORY, type StateHistory } from '../state/state-history.ts';
import { FOREVER, LIVE, useApiQuery } from './api-context.tsx';

/** `mark` changes with every change of the files. */
export function useChanges(workId: string, mark: string, { enabled = true } = {}) {
  return useApiQuery(
    ['changes', workId, mark],
    async ({ works }, call) => (await works.changes({ workId }, call)).changes,
    { ...LIVE, enabled },
  );
}

export interface DiffOf {
  readonly workId: string;
  readonly path: string;
  readonly change?: number;
  /** The diff ends with this change. */
  readonly until?: number | undefined;
  readonly mark: string;
}

export function useFileDiff({ workId, path, change, until, mark }: DiffOf) {
  const query = { path, change: change?.toString(), until: until?.toString() };
  return useApiQuery(
    ['file-diff', workId, path, change, until, mark],
    ({ works }, call) => works.fileDiff({ workId, query }, call),
    // A recorded change is immutable; the current file may change without an event.
    { ...((change ?? until) === undefined ? { staleTime: 0 } : FOREVER), retry: false },
  );
}

/** Which of the given project files exist. */
export function useExisting(projectId: string, paths: readonly string[], mark: string) {
  return useApiQuery<Existing>(
    ['existing', projectId, paths, mark],
    (client, call) => findExisting(client, projectId, paths, call),
    { staleTime: 0, placeholderData: keepPreviousData, enabled: paths.length > 0 },
  );
}

/** Undefined: the listing of the folder was cut off. */
export type Existing = ReadonlyMap<string, boolean | undefined>;

/** Folders are listed from the root down, each once; files in missing folders are never requested. */
async function findExisting(
  { files }: Pick<ApiClient, 'files'>,
  projectId: string,
  paths: readonly string[],
  options: CallOptions,
): Promise<Existing> {
  const listed = new Map<string, Promise<FileList>>();
  const list = (path: string): Promise<FileList> => {
    const known = listed.get(path) ?? files.list({ projectId, query: { path, hidden: 'true' } }, options);
    listed.set(path, known);
    return known;
  };
  const isThere = async (path: string): Promise<boolean | undefined> => {
    const [root = '', ...names] = path.split('/');
    let folder = root;
    for (const [index, name] of names.entries()) {
      const { entries, isTruncated } = await list(folder);
      const entry = entries.find((other) => other.name === name);
      if (!entry) return isTruncated ? undefined : false;
      if (index === names.length - 1) return entry.kind === 'file' || entry.kind === 'link';
      if (entry.kind !== 'folder') return false;
      folder = `${folder}/${name}`;
    }
    return false;
  };
  const found = await Promise.all(paths.map(async (path) => [path, await isThere(path)] as const));
  return new Map(found);
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

/** The steps of a run that are out of date; files change without events, so that it is asked again when it is shown again. */
export function useStale(workId = '', mark: string) {
  return useApiQuery(
    ['stale', workId, mark],
    async ({ works }, call) => (await works.stale({ workId }, call)).steps,
    {
      staleTime: 5_000,
      placeholderData: keepPreviousData,
      retry: false,
      enabled: workId !== '',
    },
  );
}

/** What happens when a run goes on; asked for when a person opens it. */
export function useResumePreview(workId: string, mark: string) {
  return useApiQuery(
    ['resume-preview', workId, mark],
    ({ works }, call) => works.resumePreview({ workId }, call),
    { staleTime: 0, retry: false },
  );
}

/** What moving a run to the newest installed version of its package changes; undefined if it has that version. */
export function useUpgrade(workId = '', mark: string) {
  return useApiQuery(
    ['packages', 'upgrade', workId, mark],
    async ({ works }, call) => (await works.showUpgrade({ workId }, call)).plan ?? null,
    { ...LIVE, enabled: workId !== '' },
  );
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

export function useShownContext(workId = '', mark: string) {
  return useApiQuery(['context', workId, mark], ({ works }, call) => works.context({ workId }, call), {
    ...LIVE,
    enabled: workId !== '',
  });
}

/** What was sent does not change. */
export function useSentRequest(workId: string, turn: number) {
  return useApiQuery(
    ['request', workId, String(turn)],
    ({ works }, call) => works.request({ workId, query: { turn: String(turn) } }, call),
    { ...FOREVER, enabled: turn > 0 },
  );
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

/** The limits of a run, which do not change. */
export function useLimits(workId: string) {
  return useApiQuery(
    ['limits', workId],
    async ({ works }, call) => (await works.show({ workId }, call)).limits,
    FOREVER,
  );
}
