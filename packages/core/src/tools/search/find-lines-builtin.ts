/**
 * Line finder for machines without ripgrep. Searches in a worker thread, because only a thread can be stopped while it
 * tests a line.
 */
import { toolThread } from '../worker/tool-worker.ts';
import { createLineMatcher } from './find-lines-scan.ts';
import type { FinderResult, LineFinder } from './line-finder.ts';

export function createBuiltinFinder(): LineFinder {
  return {
    async *find(search, signal) {
      // An invalid pattern is rejected here.
      createLineMatcher(search.query);
      if (signal.aborted) return;
      try {
        yield* toolThread.stream<FinderResult>('find', search, signal);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
    matchLines,
  };
}

/** Compared characters: some milliseconds. */
const MAX_INLINE_WORK = 4_000_000;

/**
 * Matches lines in this process, or in a worker thread if that could take long: a query of 1,000 characters against lines of 100,000
 * takes a second each.
 */
export const matchLines: LineFinder['matchLines'] = async (lines, query, signal) => {
  // Also checks the pattern.
  const matcher = createLineMatcher(query);
  const chars = lines.reduce((sum, { length }) => sum + length, 0);
  if (!query.isRegex && chars * query.text.length <= MAX_INLINE_WORK) return lines.map(matcher);
  try {
    return await toolThread.run('match', { lines, query }, signal);
  } catch (error) {
    if (signal.aborted) return [];
    throw error;
  }
};
