/** The list of Works, followed once for the whole page: the most recent ones, and what screens load of the others. */
import type { ApiClient } from '@crewagent/protocol/api/client';
import type { WorkSummary } from '@crewagent/protocol/api/work-messages';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import { addListMessage, addWorkPage, type KnownWorks } from '../state/work-list.ts';
import { toError } from '../ui/errors/error-texts.ts';
import { useApi } from './api-context.tsx';

export type WorkQuery = NonNullable<NonNullable<Parameters<ApiClient['works']['list']>[0]>['query']>;

interface Work {
  /** Undefined until the server has sent it. */
  readonly list: KnownWorks | undefined;
  /** The list cannot be followed, and a retry would not help. */
  readonly issue: Error | undefined;
  /** The server cannot be reached, and was asked more than once. */
  readonly isCutOff: boolean;
  /** Adds a page to the list; returns `next` of the page. */
  readonly load: (query: WorkQuery, signal?: AbortSignal) => Promise<string | undefined>;
}

const WorkContext = createContext<Work>({
  list: undefined,
  issue: undefined,
  isCutOff: false,
  load: () => Promise.resolve(undefined),
});

export function WorkProvider({ children }: { readonly children: ReactNode }) {
  const client = useApi();
  const [list, setList] = useState<KnownWorks>();
  const [issue, setIssue] = useState<Error>();
  const [failures, setFailures] = useState(0);
  const load = useCallback<Work['load']>(
    async (query, signal) => {
      const page = await client.works.list({ query }, signal ? { signal } : {});
      setList((known) => known && addWorkPage(known, page));
      return page.next;
    },
    [client],
  );
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const onState = (state: 'open' | 'broken'): void =>
      setFailures((count) => (state === 'open' ? 0 : count + 1));
    const follow = async (): Promise<void> => {
      for await (const message of client.system.events({}, { signal, onState })) {
        if (!signal.aborted) setList((known) => addListMessage(known, message));
      }
    };
    follow().catch((error: unknown) => {
      if (!signal.aborted) setIssue(toError(error));
    });
    return () => controller.abort();
  }, [client]);
  // A server that restarts is back at the second attempt.
  const isCutOff = failures > 1;
  const work = useMemo(() => ({ list, issue, isCutOff, load }), [list, issue, isCutOff, load]);
  return <WorkContext value={work}>{children}</WorkContext>;
}

export function useWork(): Work {
  return useContext(WorkContext);
}

/** The summary of a Work, loaded if it is not among the known ones. */
export function useWorkSummary(workId: string): WorkSummary | undefined {
  const { list, load } = useWork();
  const summary = list?.works.find((known) => known.workId === workId);
  const isWanted = list?.next !== undefined && !summary;
  const epoch = list?.epoch;
  // biome-ignore lint/correctness/useExhaustiveDependencies: loaded again after a snapshot
  useEffect(() => {
    // The screen of the Work says what is wrong.
    if (isWanted) void load({ id: workId, archived: 'any' }).catch(() => undefined);
  }, [isWanted, workId, load, epoch]);
  return summary;
}
