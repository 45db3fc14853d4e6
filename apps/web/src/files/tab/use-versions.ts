/** The versions of a file that the run beside it made, oldest first. */
import type { JournalEntry } from '@crewagent/protocol/journal';
import { useMemo } from 'react';
import { FOREVER, useApiQuery } from '../../api/api-context.tsx';
import { useChanges } from '../../api/inspector-queries.ts';
import { useShownRun } from '../../state/shown-run.ts';

export interface FileVersionOf {
  /** The run whose journal has it. */
  readonly workId: string;
  readonly path: string;
  readonly change: number;
  readonly at: string;
  readonly kind: JournalEntry['kind'];
  /** Title of the step that made it. */
  readonly step: string | undefined;
}

export function useVersions(projectId: string, path: string): readonly FileVersionOf[] {
  const run = useShownRun(({ run: shown }) => (shown?.projectId === projectId ? shown : undefined));
  const { data: changes } = useChanges(run?.runId ?? '', run?.mark ?? '', { enabled: run !== undefined });
  return useMemo(() => {
    if (!run || !changes) return [];
    return changes
      .filter((change) => change.path === path)
      .map(({ runId, changeId, at, kind, nodeId }) => ({
        workId: runId ?? run.runId,
        path,
        change: changeId,
        at,
        kind,
        step: nodeId === undefined ? undefined : (run.titles.get(nodeId) ?? nodeId),
      }));
  }, [run, changes, path]);
}

export function useVersion({ workId, path, change }: FileVersionOf, side: 'before' | 'after') {
  return useApiQuery(
    ['file-version', workId, path, change, side],
    ({ works }, call) => works.fileVersion({ workId, query: { path, change: String(change), side } }, call),
    { ...FOREVER, retry: false },
  );
}
