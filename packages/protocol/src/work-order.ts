/** Order and pages of lists of Works, by last change. Pure. */

interface Dated {
  readonly workId: string;
  readonly updatedAt: string;
}

/** Most recently changed first; of the same moment, the newest first. */
export function byLastChange(one: Dated, other: Dated): number {
  if (one.updatedAt !== other.updatedAt) return one.updatedAt < other.updatedAt ? 1 : -1;
  return one.workId < other.workId ? 1 : one.workId === other.workId ? 0 : -1;
}

/** Address of the page after this Work. */
export function toCursor({ workId, updatedAt }: Dated): string {
  return `${updatedAt},${workId}`;
}

/** A Work that is not there any more is no problem: the page begins after its position. */
export function parseCursor(text: string): Dated {
  const comma = text.lastIndexOf(',');
  return { updatedAt: text.slice(0, comma), workId: text.slice(comma + 1) };
}

/** Words as they are searched for. */
export function toWords(text: string): readonly string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

export function hasWords(text: string, words: readonly string[]): boolean {
  const seen = text.toLowerCase();
  return words.every((word) => seen.includes(word));
}
