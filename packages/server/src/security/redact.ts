/**
 * Removes the path of the private store from everything the server sends: one filter over JSON texts, so that routes need not
 * handle it.
 */
import { realpathSync } from 'node:fs';

export type Redact = (json: string) => string;

export function createRedactor(storeRoot: string): Redact {
  const roots = [...new Set([storeRoot, realPath(storeRoot)])]
    .filter((root) => root.length > 1)
    .map((root) => JSON.stringify(root).slice(1, -1));
  const patterns = roots.map((root) => [root, toPattern(root)] as const);
  // Hardly any text contains a path of the store, and searching for one is much faster than matching the pattern.
  return (json) =>
    patterns.reduce(
      (text, [root, pattern]) => (text.includes(root) ? text.replace(pattern, '(store)') : text),
      json,
    );
}

/**
 * Matches a path, written as in JSON, except where it is part of a longer path: `/store` does not match `/store-2` or
 * `/a/store`. A letter before it may be the end of an escape such as `\n`.
 */
function toPattern(path: string): RegExp {
  const escaped = path.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const begins = '(?:(?<![\\p{L}\\p{N}_.-])|(?<=\\\\(?:[bfnrt]|u[0-9a-f]{4})))';
  const ends = '(?![\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}])';
  return new RegExp(begins + escaped + ends, 'gu');
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // The folder does not exist yet.
    return path;
  }
}
