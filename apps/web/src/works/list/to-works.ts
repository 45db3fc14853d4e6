/**
 * The Works of a project as one list: conversations, and runs without one, most recent first. Pure.
 */
import type { WorkList, WorkSummary } from '@crewagent/protocol/api/work-messages';
import { leftRunsOf, rootsOf, shownPhase } from '../../state/work-list.ts';
import type { ShownPhase } from '../../ui/phase-pill.tsx';

export type WorkKind = WorkSummary['kind'] | 'run';

/** A Work as its row shows it. */
export interface ListedWork {
  readonly work: WorkSummary;
  readonly kind: WorkKind;
  readonly title: string;
  readonly phase: ShownPhase;
  readonly isArchived: boolean;
  /** Its left runs. */
  readonly leftRuns: readonly WorkSummary[];
}

export function toWorks(
  list: WorkList,
  projectId: string,
  titleOf: (work: WorkSummary) => string,
): readonly ListedWork[] {
  return rootsOf(list)
    .filter((work) => work.projectId === projectId)
    .map((work) => ({
      work,
      kind: work.run ? 'run' : work.kind,
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
  kindName: (kind: WorkKind) => string,
): readonly ListedWork[] {
  const words = text.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  return works.filter(({ title, kind }) => {
    const seen = `${title} ${kindName(kind)}`.toLocaleLowerCase();
    return words.every((word) => seen.includes(word));
  });
}
