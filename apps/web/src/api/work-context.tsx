/** The list of Works, followed once for the whole page. */
import type { WorkList, WorkSummary } from '@crewagent/protocol/api/work-messages';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { addListMessage } from '../state/work-list.ts';
import { toError } from '../ui/errors/error-texts.ts';
import { useApi } from './api-context.tsx';

interface Work {
  /** Undefined until the server has sent it. */
  readonly list: WorkList | undefined;
  /** The list cannot be followed, and a retry would not help. */
  readonly issue: Error | undefined;
}

const WorkContext = createContext<Work>({ list: undefined, issue: undefined });

export function WorkProvider({ children }: { readonly children: ReactNode }) {
  const client = useApi();
  const [list, setList] = useState<WorkList>();
  const [issue, setIssue] = useState<Error>();
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const follow = async (): Promise<void> => {
      for await (const message of client.system.events({}, { signal })) {
        if (!signal.aborted) setList((known) => addListMessage(known, message));
      }
    };
    follow().catch((error: unknown) => {
      if (!signal.aborted) setIssue(toError(error));
    });
    return () => controller.abort();
  }, [client]);
  const work = useMemo(() => ({ list, issue }), [list, issue]);
  return <WorkContext value={work}>{children}</WorkContext>;
}

export function useWork(): Work {
  return useContext(WorkContext);
}

export function useWorkSummary(workId: string): WorkSummary | undefined {
  return useWork().list?.works.find((known) => known.workId === workId);
}
