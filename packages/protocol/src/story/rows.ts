/**
 * The items of a Work as rows: a header where a node begins, consecutive reads and attempts as one row, a transition with its
 * call. Pure, so live and reloaded rows are equal.
 */
import { type StatusKind, toStatus } from '../status.ts';
import { isFoldedRead } from './describe-call.ts';
import type { ItemOf, StoryItem, ToolItem } from './items.ts';
import type { NodeVisit } from './node-visits.ts';
import type { Story } from './story.ts';
import type { WorkItem } from './work-story.ts';

export type StoryRow = { readonly key: string; readonly source: string } & (
  | {
      readonly kind: 'node';
      readonly nodeId: string;
      readonly title: string;
      readonly visit: NodeVisit | undefined;
      /** The package of the visit's agent. */
      readonly packageHash: string | undefined;
    }
  | {
      readonly kind: 'item';
      readonly item: StoryItem;
      /** The call that made a transition. */
      readonly call: ToolItem | undefined;
      /** Number of consecutive attempts; 1 for other items. */
      readonly tries: number;
    }
  /** The row of reads grows while rows are built. */
  | { readonly kind: 'reads'; readonly items: ToolItem[] }
);

export type RowOf<Kind extends StoryRow['kind']> = Extract<StoryRow, { kind: Kind }>;

type Stories = ReadonlyMap<string, Readonly<Story>>;

/** `stories`: the runs of the Work; a thread has no nodes. */
export function toRows(items: readonly WorkItem[], stories: Stories): StoryRow[] {
  const rows: StoryRow[] = [];
  let currentVisit = '';
  /** Target of the last transition of each run. */
  const ledTo = new Map<string, string>();
  const mergedCalls = new Map<string, ToolItem>();
  for (const entry of items) {
    const { source, item } = entry;
    if (item.kind === 'tool' && item.isMerged) mergedCalls.set(`${source} ${item.callId}`, item);
    if (!isShown(item)) continue;
    const nodeId = nodeOf(item) ?? ledTo.get(source);
    if (nodeId !== undefined && stories.has(source) && currentVisit !== `${source} ${nodeId}`) {
      currentVisit = `${source} ${nodeId}`;
      const key = `${source}:${item.seq}:node:${nodeId}`;
      rows.push({ ...toNode(stories.get(source), nodeId, item.seq), key, source });
    }
    if (item.kind === 'move') ledTo.set(source, item.to);
    // An ended, left or rewound run has no current node.
    if (endsNode(item)) currentVisit = '';
    const call = 'callId' in item ? mergedCalls.get(`${source} ${item.callId}`) : undefined;
    const row: RowOf<'item'> = { kind: 'item', key: keyOf(entry), source, item, call, tries: 1 };
    if (isFolded(item)) addRead(rows, row, item);
    else if (isRetryNotice(item)) addRetry(rows, row);
    else rows.push(row);
  }
  return rows;
}

/** Header of the node whose first reply is streaming: the node is known before its first item is in the log. */
export function toPendingNodeRow(
  rows: readonly StoryRow[],
  story: Readonly<Story>,
): RowOf<'node'> | undefined {
  const { runId, state, nodes } = story;
  const nodeId = state.currentNodeId;
  if (!nodeId || !nodes.some(({ id }) => id === nodeId)) return undefined;
  const shown = rows.findLast((row) => row.kind === 'node' || (row.kind === 'item' && endsNode(row.item)));
  if (shown?.kind === 'node' && shown.source === runId && shown.nodeId === nodeId) return undefined;
  return { ...toNode(story, nodeId), key: `${runId}:pending:${nodeId}`, source: runId };
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

function endsNode(item: StoryItem): boolean {
  if (item.kind === 'mark') return item.what === 'runLeft';
  return item.kind === 'run' || (item.kind === 'move' && item.isRewind === true);
}

/** A notice about the model is a failed attempt that is retried; if a retry is useless, the run stops with a reason. */
export function isRetryNotice(item: StoryItem): boolean {
  return item.kind === 'notice' && item.level === 'warning' && item.code.startsWith('LLM_');
}

/** Consecutive attempts are one row, which keeps the key of the first. */
function addRetry(rows: StoryRow[], row: RowOf<'item'>): void {
  const last = rows.at(-1);
  if (last?.kind === 'item' && last.source === row.source && isRetryNotice(last.item)) {
    rows[rows.length - 1] = { ...row, key: last.key, tries: last.tries + 1 };
  } else rows.push(row);
}

/** Hides the obvious: running, waiting for what the dock asks, idle after a rewind. */
function isShown(item: StoryItem): boolean {
  if (item.isMerged) return false;
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

function isFolded(item: StoryItem): item is ToolItem {
  return item.kind === 'tool' && isFoldedRead(item);
}

/** The second consecutive read turns both into one row, which keeps the key of the first. */
function addRead(rows: StoryRow[], row: RowOf<'item'>, item: ToolItem): void {
  const last = rows.at(-1);
  if (last?.kind === 'reads' && last.source === row.source) last.items.push(item);
  else if (last?.kind === 'item' && last.source === row.source && isFolded(last.item)) {
    rows[rows.length - 1] = { kind: 'reads', key: last.key, source: row.source, items: [last.item, item] };
  } else rows.push(row);
}

/** `upTo`: the number of an item of the visit. */
function toNode(story: Readonly<Story> | undefined, nodeId: string, upTo = Number.POSITIVE_INFINITY) {
  const visit = story?.visits.findLast((stay) => stay.nodeId === nodeId && stay.firstSeq <= upTo);
  const title = story?.nodes.find(({ id }) => id === nodeId)?.title ?? nodeId;
  return { kind: 'node', nodeId, title, visit, packageHash: story?.package?.hash } as const;
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
