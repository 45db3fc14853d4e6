/**
 * Text with line numbers, `12:text` as of `grep -n`, as models read files. Numbers are removed only if that is certain: every line has one, and
 * they are consecutive. Pure.
 */

/** Line ends stay as they are, so that the text can be recovered exactly. */
export function numberLines(text: string, first = 1): string {
  if (text === '') return '';
  const end = text.endsWith('\n') ? '\n' : '';
  const lines = text.slice(0, text.length - end.length).split('\n');
  return lines.map((line, index) => `${first + index}:${line}`).join('\n') + end;
}

export interface NumberedText {
  readonly first: number;
  readonly text: string;
}

/** Undefined if the text has no line numbers. */
export function parseNumberedLines(numbered: string): NumberedText | undefined {
  const first = Number(/^ *(\d{1,9}):/.exec(numbered)?.[1] ?? Number.NaN);
  if (Number.isNaN(first)) return undefined;
  const end = numbered.endsWith('\n') ? '\n' : '';
  const lines: string[] = [];
  for (const line of numbered.slice(0, numbered.length - end.length).split('\n')) {
    const [prefix = '', number] = /^ *(\d{1,9}):/.exec(line) ?? [];
    if (Number(number ?? Number.NaN) !== first + lines.length) return undefined;
    lines.push(line.slice(prefix.length));
  }
  return { first, text: lines.join('\n') + end };
}

/** The text as it is in the file. Logs of earlier versions have no numbers. */
export function withoutLineNumbers(text: string): string {
  return parseNumberedLines(text)?.text ?? text;
}
