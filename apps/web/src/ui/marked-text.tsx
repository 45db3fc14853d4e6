/** A line of text in which the words that were looked for are marked. */
import { Fragment } from 'react';
import { toShownLine } from './sanitize-text.ts';

interface MarkedTextProps {
  readonly text: string;
  /** Start and end of each word, in order. */
  readonly marks: readonly (readonly [number, number])[];
}

export function MarkedText({ text, marks }: MarkedTextProps) {
  const ends = marks.map(([, end]) => end);
  return (
    <bdi>
      {marks.map(([start, end], at) => (
        <Fragment key={start}>
          {toShownLine(text.slice(ends[at - 1] ?? 0, start))}
          <mark className="rounded-xs bg-warn-soft font-medium text-ink">
            {toShownLine(text.slice(start, end))}
          </mark>
        </Fragment>
      ))}
      {toShownLine(text.slice(ends.at(-1) ?? 0))}
    </bdi>
  );
}
