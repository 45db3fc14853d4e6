/**
 * All Works as lists and badges need them: by id, in order of their last change, with the runs of conversations and with
 * counts. A change costs as much as the Works that it concerns, whatever the size of the store.
 */
import type { ListedWork, WorkAddress, WorkChanges } from '@crewagent/core';
import type { WorkSummary } from '@crewagent/protocol/api/work-messages';
import { toStatus } from '@crewagent/protocol/status';
import type { WorkRecord } from '@crewagent/protocol/work';
import { byLastChange } from '@crewagent/protocol/work-order';
import { isWaiting } from '@crewagent/protocol/work-position';
import { toSummary } from './summaries.ts';
import { createWorkCounts, toCounted } from './work-counts.ts';

export type WorksIndex = ReturnType<typeof createWorksIndex>;

export function createWorksIndex() {
  const works = new Map<string, WorkRecord>();
  const damaged = new Map<string, ListedWork>();
  /** Works that say that they are running, called ones included. */
  const running = new Map<string, WorkAddress>();
  /** Runs by conversation. */
  const runs = createLinks();
  /** Conversations by active run. */
  const active = createLinks();
  const counts = createWorkCounts();
  /** Undefined after a change. */
  let sorted: readonly WorkRecord[] | undefined;

  const summaryOf = (record: WorkRecord): WorkSummary =>
    toSummary(record, works.get(record.activeRunId ?? ''));
  const recordsOf = (ids: Iterable<string>): WorkRecord[] => [...ids].flatMap((id) => works.get(id) ?? []);
  /** Left runs of a conversation: each can be resumed. */
  const leftRunsOf = ({ workId, activeRunId }: WorkRecord): WorkRecord[] =>
    recordsOf(runs.of(workId)).filter((run) => run.workId !== activeRunId && isWaiting(summaryOf(run)));
  /** Active and left runs of conversations, and the conversations of runs, that are not listed themselves. */
  const relatedTo = (listed: readonly WorkRecord[]): WorkRecord[] => {
    const ids = new Set(listed.map(({ workId }) => workId));
    const related = listed.flatMap((record) =>
      record.workflowRef === undefined
        ? [...recordsOf([record.activeRunId ?? '']), ...leftRunsOf(record)]
        : recordsOf([record.parentId ?? '']),
    );
    return [...new Set(related)].filter(({ workId }) => !ids.has(workId));
  };
  const rootsOf = (workId: string, record: WorkRecord | undefined): string[] => [
    ...(record?.parentId === undefined ? [] : [record.parentId]),
    ...active.of(workId),
  ];

  const remove = (workId: string): void => {
    const known = works.get(workId);
    works.delete(workId);
    damaged.delete(workId);
    running.delete(workId);
    if (known?.parentId !== undefined) runs.remove(known.parentId, workId);
    if (known?.activeRunId !== undefined) active.remove(known.activeRunId, workId);
  };
  const add = (work: ListedWork): void => {
    const { workId, record } = work;
    if (!record) return void damaged.set(workId, work);
    if (toStatus(record).isRunning) running.set(workId, work);
    // The run of a sub-workflow is shown in the run that called it.
    if (record.call) return;
    works.set(workId, record);
    if (record.parentId !== undefined) runs.add(record.parentId, workId);
    if (record.activeRunId !== undefined) active.add(record.activeRunId, workId);
  };
  const count = (workId: string): void => {
    const record = works.get(workId);
    const isRoot = record !== undefined && record.parentId === undefined;
    counts.set(workId, isRoot ? toCounted(summaryOf(record), leftRunsOf(record).length) : undefined);
  };

  return {
    /** Returns the Works whose summary changed, and the runs that are shown with them. */
    apply({ changed, removed }: WorkChanges): readonly WorkRecord[] {
      const ids = new Set([...changed, ...removed].map(({ workId }) => workId));
      const roots = new Set(ids);
      for (const id of ids) {
        for (const root of rootsOf(id, works.get(id))) roots.add(root);
        remove(id);
      }
      for (const work of changed) {
        add(work);
        for (const root of rootsOf(work.workId, work.record)) roots.add(root);
      }
      for (const root of roots) count(root);
      sorted = undefined;
      const found = recordsOf(new Set([...ids, ...[...ids].flatMap((id) => [...active.of(id)])]));
      // A reader may not know the runs of a conversation that was on no page so far.
      const conversations = found.filter(({ workflowRef }) => workflowRef === undefined);
      return [...new Set([...found, ...relatedTo(conversations)])];
    },
    get: (workId: string | undefined): WorkRecord | undefined => works.get(workId ?? ''),
    /** Most recently changed first. */
    inOrder(): readonly WorkRecord[] {
      sorted ??= [...works.values()].sort(byLastChange);
      return sorted;
    },
    damaged: (): readonly ListedWork[] => [...damaged.values()],
    running: (): readonly WorkAddress[] => [...running.values()],
    summaryOf,
    relatedTo,
    counts: counts.of,
    /** The conversations and the callers of these runs; an active run is followed by itself. */
    ownersOf: (changed: readonly ListedWork[]): string[] =>
      changed.flatMap(({ workId, record }) =>
        active.of(workId).size > 0
          ? []
          : [record?.parentId, record?.call?.rootId].filter((owner) => owner !== undefined),
      ),
  };
}

/** Sets by key. */
function createLinks() {
  const links = new Map<string, Set<string>>();
  const NONE: ReadonlySet<string> = new Set();
  return {
    of: (key: string): ReadonlySet<string> => links.get(key) ?? NONE,
    add(key: string, id: string): void {
      const known = links.get(key);
      if (known) known.add(id);
      else links.set(key, new Set([id]));
    },
    remove(key: string, id: string): void {
      const known = links.get(key);
      known?.delete(id);
      if (known?.size === 0) links.delete(key);
    },
  };
}
