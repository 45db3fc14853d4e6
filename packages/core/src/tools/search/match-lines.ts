/**
 * Matches lines in this process, or in a worker thread if that could take long: a query of 1,000 characters against
 * lines of 100,000 takes a second each.
 */
import { runJob } from '../worker/tool-worker.ts';
import type { LineQuery } from './line-finder.ts';
import { createLineMatcher } from './line-matcher.ts';

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
