/** Paths as they are mentioned in what a person writes. */

/** With spaces it is fenced, so that its end is visible. */
export function toMention(mountPath: string): string {
  return /\s/.test(mountPath) ? fence(mountPath) : mountPath;
}

/** As a Markdown code span, with a fence longer than any backticks in the text. */
function fence(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const ticks = '`'.repeat(1 + Math.max(0, ...runs.map(({ length }) => length)));
  const gap = text.endsWith('`') ? ' ' : '';
  return `${ticks}${gap}${text}${gap}${ticks}`;
}
