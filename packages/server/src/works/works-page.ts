/** Pages of the list of Works: filtered, searched, most recently changed first. Only a search looks at all Works. */
import type { ListedWork } from '@crewagent/core';
import type { WorkList } from '@crewagent/protocol/api/work-messages';
import type { RunPhase } from '@crewagent/protocol/run';
import type { WorkRecord } from '@crewagent/protocol/work';
import { byLastChange, hasWords, parseCursor, toCursor, toWords } from '@crewagent/protocol/work-order';
import { groupOf, isWaiting, type WorkGroup } from '@crewagent/protocol/work-position';
import type { ProjectScope } from './work-counts.ts';
import type { WorksIndex } from './works-index.ts';

export interface WorkQuery {
  readonly scope?: ProjectScope;
  readonly phase?: RunPhase | undefined;
  /** Archived or not archived conversations; all if omitted. */
  readonly isArchived?: boolean | undefined;
  /** Works without a parent, or those that wait for a person. Default: all. */
  readonly list?: 'roots' | 'inbox' | undefined;
  readonly status?: WorkGroup | undefined;
  readonly text?: string | undefined;
  /** Kinds that are found whatever their title is. */
  readonly kinds?: readonly string[] | undefined;
  readonly id?: string | undefined;
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
}

/** Works on a page, unless the client asks for another number. */
const PAGE_WORKS = 100;
const MAX_PAGE_WORKS = 500;

export function toWorksPage(index: WorksIndex, query: WorkQuery): WorkList {
  const { scope, after, limit = PAGE_WORKS } = query;
  const most = Math.min(Math.max(limit, 1), MAX_PAGE_WORKS);
  const sorted = index.inOrder();
  const isFound = createFilter(index, query);
  const found: WorkRecord[] = [];
  for (let at = after === undefined ? 0 : indexAfter(sorted, after); at < sorted.length; at++) {
    const record = sorted[at];
    if (record && isFound(record)) found.push(record);
    if (found.length > most) break;
  }
  const shown = found.slice(0, most);
  const last = shown.at(-1);
  return {
    works: shown.map(index.summaryOf),
    related: index.relatedTo(shown).map(index.summaryOf),
    damaged: after === undefined ? index.damaged().filter(isIn(scope)).slice(0, most).map(toDamaged) : [],
    counts: index.counts(scope),
    ...(last && found.length > most ? { next: toCursor(last) } : {}),
  };
}

/** The beginning of a stream: the first page, and with it the Works that are running. */
export function toSnapshot(index: WorksIndex, scope: ProjectScope): WorkList {
  const first = toWorksPage(index, { scope, list: 'roots' });
  const related = first.related ?? [];
  const known = new Set([...first.works, ...related].map(({ workId }) => workId));
  const running = index
    .running()
    .filter((work) => isIn(scope)(work) && !known.has(work.workId))
    .flatMap(({ workId }) => index.get(workId) ?? [])
    .slice(0, MAX_PAGE_WORKS);
  return { ...first, related: [...related, ...running.map(index.summaryOf)] };
}

function createFilter(
  index: WorksIndex,
  { scope, phase, isArchived, list, status, text = '', kinds = [], id }: WorkQuery,
): (record: WorkRecord) => boolean {
  const words = toWords(text);
  const isInScope = isIn(scope);
  return (record) => {
    if (!isInScope(record) || (id !== undefined && record.workId !== id)) return false;
    if (isArchived !== undefined && (record.archivedAt !== undefined) !== isArchived) return false;
    if (list === 'roots' && record.parentId !== undefined) return false;
    if (list === 'inbox' && !isInInbox(index, record)) return false;
    if (phase === undefined && status === undefined && words.length === 0) return true;
    const summary = index.summaryOf(record);
    if (phase !== undefined && summary.phase !== phase) return false;
    if (status !== undefined && groupOf(summary) !== status) return false;
    const { title, activeRunId, agent } = summary;
    const shownTitle = title || index.get(activeRunId)?.workflowTitle || agent?.name || '';
    return kinds.includes(summary.run ? 'run' : summary.kind) || hasWords(shownTitle, words);
  };
}

/** Works without a parent that wait for a person, and left runs of conversations; nothing archived. */
function isInInbox(index: WorksIndex, record: WorkRecord): boolean {
  const root = record.parentId === undefined ? record : index.get(record.parentId);
  if (!root || root.archivedAt !== undefined || root.activeRunId === record.workId) return false;
  return isWaiting(index.summaryOf(record));
}

function isIn(scope: ProjectScope): (work: { readonly projectId: string }) => boolean {
  return ({ projectId }) => !scope || scope.has(projectId);
}

function toDamaged(work: ListedWork): WorkList['damaged'][number] {
  const { workId, projectId, isRun, problem = 'It could not be read.' } = work;
  return { workId, projectId, isRun, problem };
}

/** Index of the first Work after the position of a cursor. */
function indexAfter(sorted: readonly WorkRecord[], cursor: string): number {
  const position = parseCursor(cursor);
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const at = sorted[middle];
    if (at && byLastChange(at, position) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
