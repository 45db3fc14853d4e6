/**
 * ripgrep where it runs, our own searcher where it does not. Found out at the first search, once.
 */
import type { LineFinder } from './line-finder.ts';

export function createDefaultFinder(): LineFinder {
  let chosen: Promise<LineFinder> | undefined;
  const choose = (): Promise<LineFinder> => {
    chosen ??= chooseFinder();
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

/** Many runs never search; those that do wait a moment the first time. */
async function chooseFinder(): Promise<LineFinder> {
  const { resolveRipgrep } = await import('./ripgrep-binary.ts');
  const binary = await resolveRipgrep();
  return binary === undefined
    ? (await import('./find-lines-builtin.ts')).createBuiltinFinder()
    : (await import('./find-lines-ripgrep.ts')).createRipgrepFinder(binary);
}
