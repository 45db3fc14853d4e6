/**
 * A story in pages: a client gets the last items first, and earlier ones on demand. The items that give a story its shape (its
 * transitions, runs, calls, agents and stops) are always part of it; what lies between them may be missing.
 */
import type { EarlierItems, StoryItem } from './items.ts';
import type { Story } from './story.ts';

export interface ItemPage {
  readonly items: readonly StoryItem[];
  /** What is left before it. */
  readonly earlier?: EarlierItems | undefined;
}

export const PAGE_ITEMS = 200;

const SHAPE: ReadonlySet<StoryItem['kind']> = new Set(['agent', 'call', 'move', 'phase', 'run', 'undone']);

function isShape(item: StoryItem): boolean {
  if (item.kind === 'mark') return item.id !== undefined;
  // A rejected transition is a mark on the graph.
  return SHAPE.has(item.kind) || (item.kind === 'notice' && item.refused !== undefined);
}

/** The items before a number, in order, at most `limit` unless one event made more. */
export function toPage(
  { timeline }: Pick<Story, 'timeline'>,
  before = Number.POSITIVE_INFINITY,
  limit = PAGE_ITEMS,
): ItemPage {
  const end = timeline.findLastIndex(({ seq }) => seq < before) + 1;
  let start = Math.max(0, end - limit);
  // Items of one event are not separated: their number is where the next page ends.
  while (start > 0 && timeline[start - 1]?.seq === timeline[start]?.seq) start--;
  const [first] = timeline.slice(start, end);
  return {
    items: timeline.slice(start, end),
    earlier: first && start > 0 ? { before: first.seq, count: start } : undefined,
  };
}

/** The story with its last items, among them all input that waits: it may still move. */
export function toLastPage(story: Story, limit = PAGE_ITEMS): Story {
  const [waiting] = story.queued;
  const after = waiting ? story.timeline.findIndex(({ seq }) => seq === waiting.seq) : -1;
  const shown = after < 0 ? limit : Math.max(limit, story.timeline.length - after);
  const { items, earlier } = toPage(story, undefined, shown);
  if (!earlier) return story;
  const shape = story.timeline.slice(0, earlier.count).filter(isShape);
  return { ...story, timeline: [...shape, ...items], earlier };
}

/** Adds the items before a number; changes nothing if other items are missing by now. */
export function addPage(story: Story, { items, earlier }: ItemPage, before: number): void {
  if (story.earlier?.before !== before || items.length === 0) return;
  const shape = story.timeline.filter(({ seq }) => seq < (earlier?.before ?? 0));
  story.timeline.splice(
    0,
    story.timeline.findIndex(({ seq }) => seq >= before),
    ...shape,
    ...items,
  );
  story.earlier = earlier;
}

/** A newer version of a story, with the earlier items that are known of the older one: they do not change any more. */
export function keepLoaded(known: Story, next: Story): Story {
  const { before } = next.earlier ?? {};
  // Between the two versions nothing may be missing.
  if (before === undefined || known.lastSeq < before || (known.earlier?.before ?? 0) >= before) return next;
  const tail = next.timeline.filter(({ seq }) => seq >= before);
  const loaded = known.timeline.filter(({ seq }) => seq < before);
  return { ...next, timeline: [...loaded, ...tail], earlier: known.earlier };
}
