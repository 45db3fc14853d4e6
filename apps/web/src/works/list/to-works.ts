/**
 * The Works of a project as one list: conversations, and runs without one, most recent first. Pure.
 */
import type { WorkSummary } from '@crewagent/protocol/api/work-messages';
import { hasWords, toWords } from '@crewagent/protocol/work-order';
import { groupOf } from '@crewagent/protocol/work-position';
import { type KnownWorks, leftRunsOf, rootsOf, shownPhase } from '../../state/work-list.ts';

/** A Work as its row shows it. */
export type ListedWork = ReturnType<typeof toWorks>[number];

export function toWorks(
  list: KnownWorks,
  projectId: string,
  titleOf: (work: WorkSummary) => string,
  startsElsewhere = false,
) {
  return rootsOf(list)
    .filter((work) => work.projectId === projectId)
    .map((work) => ({
      work,
      kind: work.run ? ('run' as const) : work.kind,
      title: titleOf(work),
      phase: shownPhase(work, startsElsewhere),
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
  const words = toWords(text);
  return works.filter(({ title, kind }) => hasWords(`${title} ${kindName(kind)}`, words));
}

const KINDS = ['run', 'chat', 'agent', 'workflow'] as const satisfies readonly ListedWork['kind'][];

/** The kinds whose name contains every typed word. */
export function findKinds(
  text: string,
  kindName: (kind: ListedWork['kind']) => string,
): readonly ListedWork['kind'][] {
  const words = toWords(text);
  return KINDS.filter((kind) => hasWords(kindName(kind), words));
}

export const WORK_FILTERS = ['all', 'waiting', 'running', 'stopped', 'done'] as const;
export type WorkFilter = (typeof WORK_FILTERS)[number];

const DAY_GROUPS = ['today', 'yesterday', 'earlier'] as const;
type DayGroup = (typeof DAY_GROUPS)[number];

export function filterWorks(works: readonly ListedWork[], filter: WorkFilter): readonly ListedWork[] {
  return filter === 'all' ? works : works.filter(({ work }) => groupOf(work) === filter);
}

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
