/** Items that show the same are connected: a call has its approval and its file, a transition its call, a stop its error. */
import { toStatus } from '../status.ts';
import { isChange, pathsOf } from '../tool-effects.ts';
import type { ItemOf, StoryItem, ToolItem } from './items.ts';
import type { Story } from './story.ts';

/** Connects a new item with those before it that show the same. */
export function mergeItem(story: Story, item: StoryItem): StoryItem {
  const { timeline } = story;
  switch (item.kind) {
    case 'approval':
      return hasItem(story, item.callId) ? { ...item, isMerged: true } : item;
    case 'mark': {
      if (item.what !== 'artifact') return item;
      const isWriter = ({ status, effect }: ToolItem): boolean =>
        isChange(effect) && (status === 'running' || pathsOf(effect).includes(item.name));
      const call = findCall(timeline, isWriter);
      if (!call) return item;
      replaceItem(story, 'tool', call.callId, (tool) => ({ ...tool, isArtifact: true }));
      return { ...item, isMerged: true };
    }
    case 'move':
    case 'notice': {
      const isOfCall = item.kind === 'move' ? !item.isRewind : item.refused && REFUSED_MOVES.has(item.code);
      const call = isOfCall && findCall(timeline, isRunningStateWrite);
      if (!call) return item;
      replaceItem(story, 'tool', call.callId, (tool) => ({ ...tool, isMerged: true }));
      return { ...item, callId: call.callId };
    }
    case 'phase':
      return mergePhase(timeline, item);
    default:
      return item;
  }
}

/** Errors of rejected transitions, which are items of their own. */
export const REFUSED_MOVES: ReadonlySet<string | undefined> = new Set([
  'E_INVALID_TRANSITION',
  'E_OUTPUTS_MISSING',
]);

function isRunningStateWrite({ status, effect }: ToolItem): boolean {
  return status === 'running' && effect.kind === 'state';
}

/** The last call that fits, if it is recent. */
function findCall(timeline: readonly StoryItem[], fits: (call: ToolItem) => boolean): ToolItem | undefined {
  const found = timeline.slice(-RECENT).findLast((item) => item.kind === 'tool' && fits(item));
  return found?.kind === 'tool' ? found : undefined;
}

const RECENT = 64;

function mergePhase(timeline: StoryItem[], item: ItemOf<'phase'>): ItemOf<'phase'> {
  const { isRunning, isCompleted } = toStatus(item);
  // What arrived of a reply that was cut off stands behind its error.
  const at = timeline.findLastIndex((before) => !(before.kind === 'reply' && before.isPartial));
  const last = timeline[at];
  if (last?.kind === 'notice' && last.level === 'error' && isReason(last, item))
    timeline[at] = { ...last, isMerged: true };
  const index = isRunning ? timeline.findLastIndex(({ kind }) => kind === 'phase') : -1;
  const idle = timeline[index];
  if (idle?.kind === 'phase') timeline[index] = { ...idle, resumedAt: item.ts };
  // A workflow completes once: later messages do not complete it again.
  const before = isCompleted ? timeline.findLast(isCompletionOrRewind) : undefined;
  return before?.kind === 'phase' ? { ...item, isMerged: true } : item;
}

function isReason({ code, message }: ItemOf<'notice'>, { reason }: ItemOf<'phase'>): boolean {
  return reason?.code === code && reason.message === message;
}

function isCompletionOrRewind(item: StoryItem): boolean {
  return item.kind === 'phase' ? toStatus(item).isCompleted : item.kind === 'move' && item.isRewind === true;
}

function hasItem({ timeline }: Story, callId: string): boolean {
  return timeline.findLast((item) => item.kind === 'tool' && item.callId === callId) !== undefined;
}

/** Calls end soon after they are made, so the search from the end is short. */
export function replaceItem<Kind extends 'tool' | 'question' | 'approval'>(
  { timeline }: Story,
  kind: Kind,
  callId: string,
  change: (item: ItemOf<Kind>) => ItemOf<Kind>,
): void {
  const index = timeline.findLastIndex((item) => item.kind === kind && item.callId === callId);
  const item = timeline[index];
  if (item) timeline[index] = change(item as ItemOf<Kind>);
}
