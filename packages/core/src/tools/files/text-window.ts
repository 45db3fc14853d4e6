/**
 * Excerpts of a text for a model: a range of lines, or the beginning of a long text. Pure.
 */
export interface LineRange {
  readonly startLine: number;
  readonly endLine: number;
}

export function countLines(text: string): number {
  if (text === '') return 0;
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++;
  return text.endsWith('\n') ? lines - 1 : lines;
}

/** Lines `startLine` to `endLine` (1-based, inclusive), with their line endings. */
export function sliceLines(text: string, { startLine, endLine }: LineRange): string {
  let start = 0;
  for (let line = 1; line < startLine; line++) {
    const at = text.indexOf('\n', start);
    if (at === -1) return '';
    start = at + 1;
  }
  let end = start;
  for (let line = startLine; line <= endLine; line++) {
    const at = text.indexOf('\n', end);
    if (at === -1) return text.slice(start);
    end = at + 1;
  }
  return text.slice(start, end);
}

/** At most `maxBytes` of UTF-8 from the beginning, cut after a whole line if possible. */
export function previewOf(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  let cut = text.slice(0, maxBytes);
  while (Buffer.byteLength(cut) > maxBytes) cut = cut.slice(0, Math.floor(cut.length * 0.9));
  const lastLine = cut.lastIndexOf('\n');
  const preview = lastLine > cut.length / 2 ? cut.slice(0, lastLine + 1) : cut;
  // Do not end with half a surrogate pair.
  return /[\ud800-\udbff]$/.test(preview) ? preview.slice(0, -1) : preview;
}
