/** The lines of a text by index, without a copy of the text. Pure. */
export interface TextLines {
  readonly count: number;
  /** Where a line starts; for `count` the end of the text. */
  offsetOf(line: number): number;
  /** A line without its ending. */
  at(line: number): string;
  /** Lines with their endings, up to before `end`. */
  slice(start: number, end: number): string;
  /** '\n' or '\r\n'; '' for a last line that has none, and where there is no line. */
  endingAt(line: number): string;
}

export function createTextLines(text: string): TextLines {
  const starts = findLineStarts(text);
  const count = starts.length - 1;
  const offsetOf = (line: number): number => starts[line] ?? text.length;
  const endingAt = (line: number): string => {
    if (line < 0 || line >= count) return '';
    const end = offsetOf(line + 1);
    if (text[end - 1] !== '\n') return '';
    return text[end - 2] === '\r' && end - 2 >= offsetOf(line) ? '\r\n' : '\n';
  };
  return {
    count,
    offsetOf,
    at: (line) => text.slice(offsetOf(line), offsetOf(line + 1) - endingAt(line).length),
    slice: (start, end) => text.slice(offsetOf(start), offsetOf(end)),
    endingAt,
  };
}

/** Offset of each line, then the length of the text. */
function findLineStarts(text: string): Uint32Array {
  const count = countLines(text);
  const starts = new Uint32Array(count + 1);
  for (let line = 1; line < count; line++) starts[line] = text.indexOf('\n', starts[line - 1]) + 1;
  starts[count] = text.length;
  return starts;
}

export function countLines(text: string): number {
  let count = text.length === 0 || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
