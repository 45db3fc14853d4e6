/** Values of environment variables and headers, as typed: one `NAME=value` per line. Pure. */

export function toLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Undefined if a line has no name or no value. */
export function parseValues(text: string): Readonly<Record<string, string>> | undefined {
  const entries = toLines(text).map((line) => /^([A-Za-z_][\w-]*)\s*=\s*(.+)$/.exec(line));
  if (entries.includes(null)) return undefined;
  return Object.fromEntries(entries.flatMap((match) => (match ? [[match[1] ?? '', match[2] ?? '']] : [])));
}
