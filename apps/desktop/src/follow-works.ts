/**
 * Folds the server's list messages into waiting and running Works, and decides which changes need a notification. Pure.
 */
import type { ListMessage, WorkSummary } from '@crewagent/protocol/api/work-messages';
import { type StatusKind, toStatus } from '@crewagent/protocol/status';
import { needsAttention } from '@crewagent/protocol/work-position';

/** Top-level Works by id: no runs of a conversation, nothing archived. */
export type FollowedWorks = ReadonlyMap<string, WorkSummary>;

export const NO_WORKS: FollowedWorks = new Map();

export type NoticeKind = 'asking' | 'completed' | 'failed';

export interface WorkNotice {
  readonly kind: NoticeKind;
  readonly work: WorkSummary;
}

/** A snapshot gives no notice, because it contains earlier states. */
export function applyMessage(
  works: FollowedWorks,
  message: ListMessage,
): { readonly followed: FollowedWorks; readonly notice?: WorkNotice } {
  if (message.type === 'snapshot') {
    const { works: recent, related = [] } = message.data;
    const shown = [...recent, ...related].filter(isShown);
    return { followed: new Map(shown.map((work) => [work.workId, work])) };
  }
  if (message.type === 'counts') return { followed: works };
  const followed = new Map(works);
  if (message.type === 'work.removed' || !isShown(message.data)) {
    followed.delete(message.data.workId);
    return { followed };
  }
  const work = message.data;
  followed.set(work.workId, work);
  const kind = noticeFor(works.get(work.workId), work);
  return { followed, notice: kind && { kind, work } };
}

export function waitingWorks(works: FollowedWorks): readonly WorkSummary[] {
  return [...works.values()].filter(needsAttention);
}

export function runningWorks(works: FollowedWorks): readonly WorkSummary[] {
  return [...works.values()].filter((work) => statusOf(work) === 'running');
}

export function toWorkPath({ projectId, workId }: Pick<WorkSummary, 'projectId' | 'workId'>): string {
  return `/p/${projectId}/w/${workId}`;
}

function isShown({ parentId, archivedAt }: WorkSummary): boolean {
  return parentId === undefined && archivedAt === undefined;
}

/**
 * A Work gives a notice when it stops running. The list may skip a short run, so a Work that begins to wait for the person
 * gives one, too; a changed title does not.
 */
function noticeFor(before: WorkSummary | undefined, now: WorkSummary): NoticeKind | undefined {
  const status = toStatus(now);
  if (!before || statusOf(before) === status.kind) return undefined;
  const wasRunning = statusOf(before) === 'running';
  if (status.isAsking)
    return wasRunning || (needsAttention(now) && !needsAttention(before)) ? 'asking' : undefined;
  if (!wasRunning) return undefined;
  const kinds: Partial<Record<StatusKind, NoticeKind>> = {
    completed: 'completed',
    failed: 'failed',
    problem: 'failed',
    limit: 'asking',
  };
  return kinds[status.kind];
}

function statusOf(work: WorkSummary): StatusKind {
  return toStatus(work).kind;
}
