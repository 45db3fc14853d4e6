/** Markdown without its frontmatter, which is for programs; the editor still shows it. */
export function withoutFrontmatter(text: string): string {
  return text
    .replace(/^\ufeff?---[ \t]*\r?\n(?:[\s\S]*?\r?\n)?---[ \t]*(?:\r?\n|$)/, '')
    .replace(/^\s*\n/, '') // Blank lines only: an indented first line is code.
    .trimEnd();
}
