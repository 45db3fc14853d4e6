/** A step without the part at its head that is for the machine. Pure. */
export function withoutFrontmatter(text: string): string {
  return text.replace(/^\ufeff?---[ \t]*\r?\n(?:[\s\S]*?\r?\n)?---[ \t]*(?:\r?\n|$)/, '').trim();
}
