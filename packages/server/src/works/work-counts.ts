/** Counts of Works for badges, by project: a change costs as much as the Works that it concerns. */
import type { WorkCounts, WorkSummary } from '@crewagent/protocol/api/work-messages';
import { isWaiting, needsAttention } from '@crewagent/protocol/work-position';

/** Some projects, or all. */
export type ProjectScope = ReadonlySet<string> | undefined;

/** What one Work adds to the counts of its project. */
interface Counted {
  readonly projectId: string;
  readonly archived: number;
  readonly waiting: number;
  readonly asking: number;
}

export function toCounted(root: WorkSummary, leftRuns: number): Counted {
  const { projectId } = root;
  if (root.archivedAt !== undefined) return { projectId, archived: 1, waiting: 0, asking: 0 };
  return {
    projectId,
    archived: 0,
    waiting: Number(isWaiting(root)) + leftRuns,
    asking: Number(needsAttention(root)),
  };
}

interface ProjectCounts {
  total: number;
  archived: number;
  waiting: number;
  asking: number;
}

/** Sums by project, updated by the difference that a Work makes. */
export function createWorkCounts() {
  const known = new Map<string, Counted>();
  const projects = new Map<string, ProjectCounts>();
  const change = ({ projectId, archived, waiting, asking }: Counted, sign: 1 | -1): void => {
    const counts = projects.get(projectId) ?? { total: 0, archived: 0, waiting: 0, asking: 0 };
    counts.total += sign;
    counts.archived += sign * archived;
    counts.waiting += sign * waiting;
    counts.asking += sign * asking;
    projects.set(projectId, counts);
  };
  return {
    set(workId: string, counted: Counted | undefined): void {
      const before = known.get(workId);
      if (before) change(before, -1);
      if (counted) change(counted, 1);
      if (counted) known.set(workId, counted);
      else known.delete(workId);
    },
    of(scope: ProjectScope): WorkCounts {
      const sum = { total: 0, waiting: 0 };
      const archived: Record<string, number> = {};
      const asking: Record<string, number> = {};
      for (const [projectId, counts] of projects) {
        if (scope && !scope.has(projectId)) continue;
        sum.total += counts.total;
        sum.waiting += counts.waiting;
        if (counts.archived > 0) archived[projectId] = counts.archived;
        if (counts.asking > 0) asking[projectId] = counts.asking;
      }
      return { ...sum, archived, asking };
    },
  };
}
