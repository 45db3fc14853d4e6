/**
 * Turns the timeline into rows: a header where a node begins, consecutive reads grouped, a state write shown as its transition,
 * files and approvals merged into their call. Pure, so live and reloaded rows are equal.
 */

import { type StatusKind, toStatus } from '@crewagent/protocol/status';
import type { ItemOf, StoryItem } from '@crewagent/protocol/story/items';
import type { NodeVisit } from '@crewagent/protocol/story/node-visits';
import type { Story } from '@crewagent/protocol/story/story';
import type { WorkItem } from '@crewagent/protocol/story/work-story';
import { isChange, isRead, pathsOf } from '@crewagent/protocol/tool-effects';

export type ToolItem = ItemOf<'tool'>;

export type TimelineRow = { readonly key: string } & (
  | {
      readonly kind: 'node';
      readonly source: string;
      readonly nodeId: string;
      readonly title: string;
      readonly visit: NodeVisit | undefined;
      /** The package of the visit's agent. */
      readonly packageHash: string | undefined;
    }
  | {
      readonly kind: 'item';
      readonly source: string;
      readonly item: StoryItem;
      /** The call that made a transition. */
      readonly call: ToolItem | undefined;
      /** A call that wrote an artifact. */
      readonly isArtifact: boolean;
      /** Number of consecutive attempts; 1 for other items. */
      readonly tries: number;
      /** For an idle item: when the run was resumed. */
      readonly resumedAt: string | undefined;
    }
  | { readonly kind: 'reads'; readonly source: string; readonly items: readonly ToolItem[] }
);

export type ItemRow = Extract<TimelineRow, { kind: 'item' }>;

/** A row of reads grows while rows are built. */
type GrowingRow =
  | Exclude<TimelineRow, { kind: 'reads' }>
  | { readonly kind: 'reads'; readonly key: string; readonly source: string; readonly items: ToolItem[] };

type Views = ReadonlyMap<string, Readonly<Story>>;

export function toRows(timeline: readonly WorkItem[], views: Views): TimelineRow[] {
  const entries = withoutRepeatedEnds(timeline.filter(({ item }) => isShown(item)));
  const summary = summarizeCalls(entries);
  const resumed = findResumed(timeline);
  const rows: GrowingRow[] = [];
  let currentVisit = '';
  /** Target of the last transition of each run. */
  const ledTo = new Map<string, string>();
  for (const [index, entry] of entries.entries()) {
    const { source, item } = entry;
    if (summary.absorbed.has(item) || isShownByNext(entry, entries[index + 1])) continue;
    const nodeId = nodeOf(item) ?? ledTo.get(source);
    if (nodeId !== undefined && views.has(source) && currentVisit !== `${source} ${nodeId}`) {
      currentVisit = `${source} ${nodeId}`;
      rows.push(toNodeRow(entry, nodeId, views));
    }
    if (item.kind === 'move') ledTo.set(source, item.to);
    // An ended, left or rewound run has no current node.
    if (endsNode(item)) currentVisit = '';
    const row: ItemRow = {
      kind: 'item',
      key: keyOf(entry),
      source,
      item,
      call: summary.calls.get(item),
      isArtifact: summary.artifacts.has(item),
      tries: 1,
      resumedAt: resumed.get(item),
    };
    if (isFoldedRead(item)) addRead(rows, row, item);
    else if (isRetryNotice(item)) addRetry(rows, row);
    else rows.push(row);
  }
  return rows;
}

/** A workflow completes once: later messages do not complete it again. */
function withoutRepeatedEnds(entries: readonly WorkItem[]): readonly WorkItem[] {
  const complete = new Set<string>();
  return entries.filter(({ source, item }) => {
    if (isRewind(item)) complete.delete(source);
    if (item.kind !== 'phase' || toStatus(item).kind !== 'completed') return true;
    if (complete.has(source)) return false;
    complete.add(source);
    return true;
  });
}

/** Header of the node whose first reply is streaming: the node is known before its first item is in the log. */
export function toPendingNodeRow(
  rows: readonly TimelineRow[],
  { runId, state, nodes, visits, package: pkg }: Readonly<Story>,
): Extract<TimelineRow, { kind: 'node' }> | undefined {
  const nodeId = state.currentNodeId;
  const node = nodes.find(({ id }) => id === nodeId);
  if (!node || !nodeId) return undefined;
  const shown = rows.findLast((row) => row.kind === 'node' || (row.kind === 'item' && endsNode(row.item)));
  if (shown?.kind === 'node' && shown.source === runId && shown.nodeId === nodeId) return undefined;
  const visit = visits.findLast((stay) => stay.nodeId === nodeId);
  return {
    ...{ kind: 'node', key: `${runId}:pending:${nodeId}`, source: runId, nodeId, title: node.title },
    ...{ visit, packageHash: pkg?.hash },
  };
}

/** Queued messages are shown after the streaming reply. */
export function withoutQueued(
  timeline: readonly WorkItem[],
  { runId, queued }: Pick<Story, 'runId' | 'queued'>,
): readonly WorkItem[] {
  if (queued.length === 0) return timeline;
  const waiting = new Set(queued.map(({ seq }) => seq));
  return timeline.filter(
    ({ source, item }) => source !== runId || item.kind !== 'person' || !waiting.has(item.seq),
  );
}

/** When the run was resumed after each idle item. */
function findResumed(timeline: readonly WorkItem[]): ReadonlyMap<StoryItem, string> {
  const resumed = new Map<StoryItem, string>();
  const idle = new Map<string, StoryItem>();
  for (const { source, item } of timeline) {
    if (item.kind !== 'phase') continue;
    const before = idle.get(source);
    if (toStatus(item).kind === 'running' && before) resumed.set(before, item.ts);
    idle.set(source, item);
  }
  return resumed;
}

function endsNode(item: StoryItem): boolean {
  return item.kind === 'run' || item.kind === 'run-left' || isRewind(item);
}

function isRewind(item: StoryItem): boolean {
  return item.kind === 'move' && item.isRewind === true;
}

/** An error that made the run idle: the idle item shows the reason. */
function isShownByNext({ source, item }: WorkItem, next: WorkItem | undefined): boolean {
  if (item.kind !== 'notice' || item.level !== 'error') return false;
  if (next?.source !== source || next.item.kind !== 'phase') return false;
  const { reason } = next.item;
  return reason?.code === item.code && reason.message === item.message;
}

/** A notice about the model is a failed attempt that is retried; if a retry is useless, the run stops with a reason. */
export function isRetryNotice(item: StoryItem): boolean {
  return item.kind === 'notice' && item.level === 'warning' && item.code.startsWith('LLM_');
}

/** Consecutive attempts are one row, which keeps the key of the first. */
function addRetry(rows: GrowingRow[], row: ItemRow): void {
  const last = rows.at(-1);
  if (last?.kind === 'item' && last.source === row.source && isRetryNotice(last.item)) {
    rows[rows.length - 1] = { ...row, key: last.key, tries: last.tries + 1 };
  } else rows.push(row);
}

/** Hides the obvious: running, waiting for what the dock asks, idle after a rewind. */
function isShown(item: StoryItem): boolean {
  if (item.kind === 'tool')
    return item.effect.kind !== 'asked' || item.status === 'failed' || item.status === 'refused';
  if (item.kind !== 'phase') return true;
  return isUnasked(item) || !OBVIOUS.has(toStatus(item).kind);
}

/** The model stopped without asking anything: nothing else on the page says why the run waits. */
export function isUnasked({ reason }: ItemOf<'phase'>): boolean {
  return reason?.details?.isUnasked === true;
}

const OBVIOUS: ReadonlySet<StatusKind> = new Set(['running', 'reply', 'question', 'approval', 'rewound']);

interface CallSummary {
  readonly absorbed: ReadonlySet<StoryItem>;
  readonly calls: ReadonlyMap<StoryItem, ToolItem>;
  readonly artifacts: ReadonlySet<StoryItem>;
}

/** Assigns transitions, files and approvals to their call, which precedes them closely. */
function summarizeCalls(entries: readonly WorkItem[]): CallSummary {
  const absorbed = new Set<StoryItem>();
  const calls = new Map<StoryItem, ToolItem>();
  const artifacts = new Set<StoryItem>();
  const writes = new Map<string, ToolItem[]>();
  const asking = new Set<string>();
  for (const { source, item } of entries) {
    const own = writes.get(source) ?? [];
    if (item.kind === 'tool' && isChange(item.effect)) writes.set(source, [...own, item].slice(-RECENT));
    if ((item.kind === 'move' && !item.isRewind) || (item.kind === 'notice' && item.refused)) {
      const call = own.find((write) => isStateWrite(write) && !absorbed.has(write));
      if (!call) continue;
      absorbed.add(call);
      calls.set(item, call);
    }
    if (item.kind === 'tool' && item.approval) asking.add(`${source} ${item.callId}`);
    if (item.kind === 'approval' && asking.has(`${source} ${item.callId}`)) absorbed.add(item);
    if (item.kind === 'artifact') {
      const call = own.find(({ effect }) => pathsOf(effect).includes(item.path));
      if (!call) continue;
      absorbed.add(item);
      artifacts.add(call);
    }
  }
  return { absorbed, calls, artifacts };
}

const RECENT = 16;
/** Errors of rejected transitions, which have a row of their own. */
const REFUSED_MOVES = new Set(['E_INVALID_TRANSITION', 'E_OUTPUTS_MISSING']);

/** Other failed calls made no transition. */
function isStateWrite({ effect, status, code }: ToolItem): boolean {
  return (
    effect.kind === 'state' && (status === 'ok' || status === 'running' || REFUSED_MOVES.has(code ?? ''))
  );
}

function isFoldedRead(item: StoryItem): item is ToolItem {
  return item.kind === 'tool' && isRead(item.effect) && item.status === 'ok';
}

/** The second consecutive read turns both into one row, which keeps the key of the first. */
function addRead(rows: GrowingRow[], row: ItemRow, item: ToolItem): void {
  const last = rows.at(-1);
  if (last?.kind === 'reads' && last.source === row.source) last.items.push(item);
  else if (last?.kind === 'item' && last.source === row.source && isFoldedRead(last.item)) {
    rows[rows.length - 1] = { kind: 'reads', key: last.key, source: row.source, items: [last.item, item] };
  } else rows.push(row);
}

function toNodeRow({ source, item }: WorkItem, nodeId: string, views: Views): GrowingRow {
  const view = views.get(source);
  const visit = view?.visits.findLast((stay) => stay.nodeId === nodeId && stay.firstSeq <= item.seq);
  const title = view?.nodes.find(({ id }) => id === nodeId)?.title ?? nodeId;
  const packageHash = view?.package?.hash;
  return {
    kind: 'node',
    key: `${source}:${item.seq}:node:${nodeId}`,
    source,
    nodeId,
    title,
    visit,
    packageHash,
  };
}

function nodeOf(item: StoryItem): string | undefined {
  switch (item.kind) {
    case 'person':
    case 'reply':
    case 'tool':
    case 'call':
      return item.nodeId;
    default:
      return undefined;
  }
}

function keyOf({ source, item }: WorkItem): string {
  return `${source}:${item.seq}:${item.kind}${'callId' in item ? `:${item.callId}` : ''}`;
}
