/**
 * The Works of a project as one list: conversations, and runs without one, most recent first. Pure.
 */
import type { WorkList, WorkSummary } from '@crewagent/protocol/api/work-messages';
import { leftRunsOf, rootsOf, shownPhase } from '../../state/work-list.ts';
import type { ShownPhase } from '../../ui/phase-pill.tsx';

/** A Work as its row shows it. */
export type ListedWork = ReturnType<typeof toWorks>[number];

export function toWorks(list: WorkList, projectId: string, titleOf: (work: WorkSummary) => string) {
  return rootsOf(list)
    .filter((work) => work.projectId === projectId)
    .map((work) => ({
      work,
      kind: work.run ? ('run' as const) : work.kind,
      title: titleOf(work),
      phase: shownPhase(work),
      isArchived: work.archivedAt !== undefined,
      leftRuns: leftRunsOf(list, work),
    }));
}

/** Works whose visible text contains every typed word. */
export function findWorks(
  works: readonly ListedWork[],
  text: string,
  kindName: (kind: ListedWork['kind']) => string,
): readonly ListedWork[] {
  const words = text.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  return works.filter(({ title, kind }) => {
    const seen = `${title} ${kindName(kind)}`.toLocaleLowerCase();
    return words.every((word) => seen.includes(word));
  });
}

export const WORK_FILTERS = ['all', 'waiting', 'running', 'done'] as const;
export type WorkFilter = (typeof WORK_FILTERS)[number];

const DAY_GROUPS = ['today', 'yesterday', 'earlier'] as const;
type DayGroup = (typeof DAY_GROUPS)[number];

/** An incomplete Work that is idle waits for the user. */
export function filterWorks(works: readonly ListedWork[], filter: WorkFilter): readonly ListedWork[] {
  return filter === 'all' ? works : works.filter(({ phase }) => FILTERS[phase] === filter);
}

const FILTERS: Readonly<Partial<Record<ShownPhase, WorkFilter>>> = {
  WaitingUser: 'waiting',
  Stopped: 'waiting',
  CutOff: 'waiting',
  Failed: 'waiting',
  Running: 'running',
  Completed: 'done',
};

/** Groups in order, without empty ones. */
export function groupByDay(
  works: readonly ListedWork[],
  now: Date,
): readonly { readonly group: DayGroup; readonly works: readonly ListedWork[] }[] {
  const today = now.toDateString();
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1).toDateString();
  const groupOf = ({ work }: ListedWork): DayGroup => {
    const day = new Date(work.updatedAt).toDateString();
    return day === today ? 'today' : day === yesterday ? 'yesterday' : 'earlier';
  };
  return DAY_GROUPS.map((group) => ({
    group,
    works: works.filter((listed) => groupOf(listed) === group),
  })).filter((each) => each.works.length > 0);
}
