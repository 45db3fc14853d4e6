/** Groups Works by day, and filters them. Pure. */
import type { ShownPhase } from '../../ui/phase-pill.tsx';
import type { ListedWork } from './to-works.ts';

export const WORK_FILTERS = ['all', 'waiting', 'running', 'done'] as const;
export type WorkFilter = (typeof WORK_FILTERS)[number];

export const DAY_GROUPS = ['today', 'yesterday', 'earlier'] as const;
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
