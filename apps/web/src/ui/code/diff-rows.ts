/**
 * The lines of a diff as rows that a browser lays out quickly: a long line is cut into several. A run of blanks, which is shown
 * as its length, is not cut.
 */
import type { Diff, DiffLine } from './parse-diff.ts';

export interface DiffRow extends DiffLine {
  /** Continues the line of the row before. */
  readonly isMore?: true;
}

/** Three rows of text in a wide window, about ten on a phone. */
const MAX_ROW_CHARS = 400;

export function toDiffRows({ lines }: Pick<Diff, 'lines'>): readonly DiffRow[] {
  if (lines.every(({ text }) => text.length <= MAX_ROW_CHARS)) return lines;
  return lines.flatMap((line): DiffRow | DiffRow[] =>
    line.text.length <= MAX_ROW_CHARS
      ? line
      : (line.text.match(PIECES) ?? []).map((text, index) =>
          index === 0
            ? { ...line, text }
            : { kind: line.kind, text, before: undefined, after: undefined, isMore: true },
        ),
  );
}

const PIECES = new RegExp(
  `(?:(?:\\p{White_Space}|[\\u115f\\u1160\\u2800\\u3164\\uffa0]){21,}|.){1,${MAX_ROW_CHARS}}`,
  'gsu',
);
