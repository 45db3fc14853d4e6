/**
 * Line finder for machines without ripgrep. Searches in a worker thread, because only a thread can be stopped while it
 * tests a line.
 */
import { runJob, streamJob } from '../worker/tool-worker.ts';
import { createLineMatcher } from './find-lines-scan.ts';
import type { FinderResult, LineFinder, LineQuery } from './line-finder.ts';

export function createBuiltinFinder(): LineFinder {
  return {
    async *find(search, signal) {
      // An invalid pattern is rejected here.
      createLineMatcher(search.query);
      if (signal.aborted) return;
      try {
        yield* streamJob<'find', FinderResult>('find', search, signal);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
    matchLines,
  };
}

type Columns = readonly (number | undefined)[];

/** Compared characters: some milliseconds. */
const MAX_INLINE_WORK = 4_000_000;

/** The columns of the first matches, undefined for a line without one. Returns an empty list after an abort. */
export async function matchLines(
  lines: readonly string[],
  query: LineQuery,
  signal: AbortSignal,
): Promise<Columns> {
  // Also checks the pattern.
  const matcher = createLineMatcher(query);
  const chars = lines.reduce((sum, { length }) => sum + length, 0);
  if (!query.isRegex && chars * query.text.length <= MAX_INLINE_WORK) return lines.map(matcher);
  try {
    return await runJob<'match', Columns>('match', { lines, query }, signal);
  } catch (error) {
    if (signal.aborted) return [];
    throw error;
  }
}
