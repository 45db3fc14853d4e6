/**
 * Finds the known name that a misspelt one was probably meant to be. Pure.
 */

/** Longer names are not compared: that is never a typo, and hostile names would be slow. */
const MAX_LENGTH = 64;

export function findSimilar(name: string, known: Iterable<string>): string | undefined {
  const target = fold(name);
  if (target === '' || name.length > MAX_LENGTH) return undefined;
  let best: { name: string; distance: number } | undefined;
  for (const candidate of known) {
    const folded = fold(candidate);
    // A third of the letters may differ; short names resemble each other too much to allow more.
    const maxDistance = Math.min(2, Math.floor(Math.max(folded.length, target.length) / 3));
    if (Math.abs(folded.length - target.length) > maxDistance) continue;
    const distance = distanceOf(target, folded);
    if (distance <= maxDistance && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) {
      best = { name: candidate, distance };
    }
  }
  return best?.name;
}

const MAX_LISTED = 10;

/** The end of a sentence about an unknown name: the name that is meant, else those that there are. */
export function suggestName(name: string, known: Iterable<string>): string {
  const names = [...known];
  const similar = findSimilar(name, names);
  if (similar !== undefined) return ` Did you mean "${similar}"?`;
  const more = names.length > MAX_LISTED ? ', …' : '';
  return ` There ${names.length === 1 ? 'is' : 'are'} ${names.slice(0, MAX_LISTED).join(', ')}${more}.`;
}

/** A hostile package may contain any number of names; only this many are looked up. */
const MAX_LOOKUPS = 2_000;
const MAX_KNOWN = 2_000;

export type FindSimilar = (name: string, known: Iterable<string>) => string | undefined;

/** `findSimilar` with a limit on its total work. */
export function createSimilarFinder(): FindSimilar {
  let left = MAX_LOOKUPS;
  return (name, known) => (left-- > 0 ? findSimilar(name, firstOf(known)) : undefined);
}

function* firstOf(names: Iterable<string>): Generator<string> {
  let left = MAX_KNOWN;
  for (const name of names) {
    if (left-- <= 0) return;
    yield name;
  }
}

/** `agent_id` and `AgentID` match `agentId`. */
function fold(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** Levenshtein distance, in which two letters that changed places count once. */
function distanceOf(left: string, right: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      const isSwapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      const swapped = isSwapped && row > 1 && column > 1 ? (before[column - 2] ?? 0) + 1 : replaced;
      current.push(Math.min(replaced, swapped, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    before = previous;
    previous = current;
  }
  return previous.at(-1) ?? 0;
}
