/**
 * Uses ripgrep if it is available, otherwise the built-in finder. Chosen once, at the first search.
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
    async matchLines(lines, query, signal) {
      return (await choose()).matchLines(lines, query, signal);
    },
  };
}

/** Loaded lazily: many runs never search. */
async function chooseFinder(): Promise<LineFinder> {
  const { resolveRipgrep } = await import('./ripgrep-binary.ts');
  const binary = await resolveRipgrep();
  return binary === undefined
    ? (await import('./find-lines-builtin.ts')).createBuiltinFinder()
    : (await import('./find-lines-ripgrep.ts')).createRipgrepFinder(binary);
}
