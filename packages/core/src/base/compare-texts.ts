/** For sorting: by code units, which is the order of times and ids. Equal texts keep their order. */
export function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
