/**
 * The built-in search: walks a tree and tests each line. Runs in a worker thread, so it neither yields nor checks for an
 * abort.
 */
import type { FinderResult, TreeSearch } from './line-finder.ts';
import { createLineMatcher } from './line-matcher.ts';
import { readText, walkFiles } from './search-walk.ts';

export function* scanFiles(search: TreeSearch): Generator<FinderResult, undefined> {
  const { query, rootPath, maxLinesPerFile } = search;
  const matcher = createLineMatcher(query);
  let files = 0;
  for (const path of walkFiles(search)) {
    const text = readText(`${rootPath}/${path}`);
    if (text === undefined) continue;
    files++;
    // Most files have no match; for literal text one check of the whole file rules them out.
    if (!query.isRegex && matcher(text) === undefined) continue;
    const lines = toLines(text).flatMap((line, index) => (matcher(line) === undefined ? [] : [index + 1]));
    if (lines.length > 0) yield { kind: 'lines', path, lines: lines.slice(0, maxLinesPerFile) };
  }
  yield { kind: 'scanned', files };
}

function toLines(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}
