/**
 * Line finder for machines without ripgrep. Searches in a worker thread, because only a thread can be stopped while it
 * tests a line.
 */
import { streamJob } from '../worker/tool-worker.ts';
import type { FinderResult, LineFinder } from './line-finder.ts';
import { createLineMatcher } from './line-matcher.ts';
import { matchLines } from './match-lines.ts';

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
