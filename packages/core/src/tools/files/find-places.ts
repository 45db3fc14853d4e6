/**
 * Finds where a sequence of numbers occurs in another, in one pass (Knuth, Morris, Pratt), overlapping places included.
 * Pure.
 */

/** More places are not listed. */
export const MAX_PLACES = 6;

export function findPlaces(numbers: Int32Array, wanted: Int32Array): number[] {
  const borders = toBorders(wanted);
  const places: number[] = [];
  let matched = 0;
  for (let index = 0; index < numbers.length && places.length < MAX_PLACES; index++) {
    while (matched > 0 && wanted[matched] !== numbers[index]) matched = borders[matched - 1] ?? 0;
    if (wanted[matched] === numbers[index]) matched++;
    if (matched < wanted.length) continue;
    places.push(index - wanted.length + 1);
    matched = borders[matched - 1] ?? 0;
  }
  return places;
}

/** For each prefix, the length of its longest border. */
function toBorders(wanted: Int32Array): Uint32Array {
  const borders = new Uint32Array(wanted.length);
  let length = 0;
  for (let index = 1; index < wanted.length; index++) {
    while (length > 0 && wanted[index] !== wanted[length]) length = borders[length - 1] ?? 0;
    if (wanted[index] === wanted[length]) length++;
    borders[index] = length;
  }
  return borders;
}
