/**
 * Matches as a model reads them: by file, `12: text` for a match and `13- text` for a line around it, each line once. Pure.
 */
import type { Match } from './search-matches.ts';

export interface GroupedMatches {
  readonly files: readonly { readonly path: string; readonly lines: string }[];
  /** Number of matches that fit. */
  readonly shown: number;
}

/** `sorted`: by path and line. */
export function groupMatches(sorted: readonly Match[], maxBytes: number): GroupedMatches {
  const byPath = new Map<string, Map<number, string>>();
  let bytes = 0;
  let shown = 0;
  for (const { path, line, text, before, after } of sorted) {
    const lines = byPath.get(path) ?? new Map<number, string>();
    const around = [
      ...before.map((other, index) => ({ at: line - before.length + index, text: `- ${other}` })),
      ...after.map((other, index) => ({ at: line + 1 + index, text: `- ${other}` })),
    ];
    const added = [...around.filter(({ at }) => !lines.has(at)), { at: line, text: `: ${text}` }];
    bytes += byPath.has(path) ? 0 : sizeOf(path) + 22;
    bytes += added.reduce((sum, { at, text: one }) => sum + sizeOf(one) + String(at).length + 2, 0);
    if (bytes > maxBytes && shown > 0) break;
    byPath.set(path, lines);
    for (const { at, text: one } of added) lines.set(at, one);
    shown++;
  }
  return { files: [...byPath].map(([path, lines]) => ({ path, lines: toText(lines) })), shown };
}

/** In JSON, without the quotes. */
function sizeOf(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

function toText(lines: ReadonlyMap<number, string>): string {
  return [...lines]
    .sort(([one], [other]) => one - other)
    .map(([at, text]) => `${at}${text}`)
    .join('\n');
}
