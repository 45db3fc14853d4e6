/**
 * ripgrep where it runs, our own searcher where it does not. Found out at the first search, once.
 */
import { createBuiltinFinder } from './find-lines-builtin.ts';
import { createRipgrepFinder } from './find-lines-ripgrep.ts';
import type { LineFinder } from './line-finder.ts';
import { resolveRipgrep } from './ripgrep-binary.ts';

export function createDefaultFinder(): LineFinder {
  let chosen: Promise<LineFinder> | undefined;
  const choose = (): Promise<LineFinder> => {
    chosen ??= resolveRipgrep().then((binary) =>
      binary === undefined ? createBuiltinFinder() : createRipgrepFinder(binary),
    );
    return chosen;
  };
  return {
    async *find(search, signal) {
      yield* (await choose()).find(search, signal);
    },
    async judge(lines, query, signal) {
      return (await choose()).judge(lines, query, signal);
    },
  };
}
