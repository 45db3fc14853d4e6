/** Works of all projects, as far as the page knows them: the most recent ones, and what was loaded since. Pure. */

import type { ListMessage, WorkList, WorkSummary } from '@crewagent/protocol/api/work-messages';
import { toStatus } from '@crewagent/protocol/status';
import { byLastChange } from '@crewagent/protocol/work-order';
import {
  isNotStarted,
  isReady,
  isWaiting,
  needsAttention,
  type WorkPosition,
} from '@crewagent/protocol/work-position';
import type { ShownPhase } from '../ui/phase-pill.tsx';

/** `next`: the server has more Works, older than this position. */
export interface KnownWorks extends WorkList {
  /** Ids of Works that were loaded and have not changed since. */
  readonly loaded?: ReadonlySet<string>;
  /** Another one for each snapshot: pages that were loaded before are out of date. */
  readonly epoch?: number;
}

export function addListMessage(list: KnownWorks | undefined, message: ListMessage): KnownWorks {
  if (message.type === 'snapshot') {
    const { works, related = [] } = message.data;
    const known = [...works, ...related].sort(byLastChange);
    return { ...message.data, works: known, epoch: (list?.epoch ?? 0) + 1 };
  }
  const before = list ?? { works: [], damaged: [] };
  if (message.type === 'counts') return { ...before, counts: message.data };
  const { workId } = message.data;
  const works = before.works.filter((work) => work.workId !== workId);
  if (message.type === 'work') works.splice(indexFor(works, message.data), 0, message.data);
  const loaded = before.loaded?.has(workId)
    ? new Set([...before.loaded].filter((id) => id !== workId))
    : before.loaded;
  return { ...before, works, ...(loaded ? { loaded } : {}) };
}

function indexFor(works: readonly WorkSummary[], work: WorkSummary): number {
  const at = works.findIndex((other) => byLastChange(work, other) < 0);
  return at === -1 ? works.length : at;
}

/** Adds a page of another request. A Work that is known may have changed since the page was made. */
export function addWorkPage(list: KnownWorks, { works, related = [] }: WorkList): KnownWorks {
  const known = new Set(list.works.map(({ workId }) => workId));
  const added = [...works, ...related].filter(({ workId }) => !known.has(workId));
  if (added.length === 0) return list;
  return {
    ...list,
    works: [...list.works, ...added].sort(byLastChange),
    loaded: new Set([...(list.loaded ?? []), ...added.map(({ workId }) => workId)]),
  };
}

/** The Works a person opens: those without a parent. */
export function rootsOf({ works }: KnownWorks): readonly WorkSummary[] {
  return works.filter(({ parentId }) => parentId === undefined);
}

/** The run that this Work is, or its active run. */
export function runOf({ works }: KnownWorks, work: WorkSummary): WorkSummary | undefined {
  return work.run ? work : works.find(({ workId }) => workId === work.activeRunId);
}

/** Left runs of a conversation: each can be resumed. */
export function leftRunsOf(
  { works }: KnownWorks,
  { workId, run, activeRunId }: WorkSummary,
): readonly WorkSummary[] {
  if (run) return [];
  return works.filter(
    (child) => child.parentId === workId && child.workId !== activeRunId && isWaiting(child),
  );
}

/** Works of any project that need attention: the number on the rail, in the tab and above the inbox. Most recent first. */
export function attentionOf(list: KnownWorks): readonly WorkSummary[] {
  return rootsOf(list).filter((work) => work.archivedAt === undefined && needsAttention(work));
}

/** How many Works need attention, in all projects. */
export function attentionCount(list: KnownWorks): number {
  const { counts, next } = list;
  if (next === undefined || !counts) return attentionOf(list).length;
  return Object.values(counts.asking).reduce((sum, count) => sum + count, 0);
}

/** The path that needs approval, or the prompt of the question, as far as the list contains it. */
export function askedOf({ phase, reason }: Pick<WorkPosition, 'phase' | 'reason'>): {
  readonly path?: string;
  readonly prompt?: string;
} {
  const { kind } = toStatus({ phase, reason });
  const { path, prompt } = reason?.details ?? {};
  if (kind === 'approval' && typeof path === 'string') return { path };
  return kind === 'question' && typeof prompt === 'string' ? { prompt } : {};
}

/**
 * The status label on every screen. Questions, failures, limits and stops have labels of their own. `startsElsewhere`: a run that has
 * not begun waits for a worker, not for a person.
 */
export function shownPhase(position: WorkPosition, startsElsewhere = false): ShownPhase {
  const { kind } = toStatus(position);
  if (startsElsewhere && isNotStarted(position)) return 'NotStarted';
  if (kind === 'interrupted') return 'CutOff';
  if (kind === 'stopped') return 'Stopped';
  if (kind === 'limit') return 'Limit';
  if (kind === 'problem') return 'Problem';
  return isReady(position) ? 'Ready' : position.phase;
}
