/** The end of a list of the state document, for models: a run of a thousand steps must not repeat all of them in every message. */

const MAX_ITEMS = 50;

export interface RecentItems {
  readonly items: readonly string[];
  /** Number of earlier items; they are in the state document. */
  readonly omitted: number;
}

export function recentItems(items: readonly string[]): RecentItems {
  const omitted = Math.max(0, items.length - MAX_ITEMS);
  return { items: items.slice(omitted), omitted };
}
