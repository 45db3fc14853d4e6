/**
 * How many cells of a terminal a text takes.
 */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const NOTHING = /\p{Mn}|\p{Me}/u;

export function cellsOf(text: string): number {
  let cells = 0;
  for (const character of text) {
    // Most text is plain, and that needs no look at tables.
    if (character <= '\u02ff') cells += 1;
    else if (WIDE.test(character)) cells += 2;
    else if (!NOTHING.test(character)) cells += 1;
  }
  return cells;
}

/** Filled up with spaces, or cut, to a number of cells. */
export function fit(text: string, cells: number): string {
  const missing = cells - cellsOf(text);
  if (missing >= 0) return text + ' '.repeat(missing);
  let cut = '';
  let used = 0;
  for (const character of text) {
    const more = cellsOf(character);
    if (used + more > cells - 1) break;
    cut += character;
    used += more;
  }
  return `${cut}…${' '.repeat(Math.max(0, cells - used - 1))}`;
}
