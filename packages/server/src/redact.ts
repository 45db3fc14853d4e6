/**
 * Keeps the place of the private store out of everything that leaves the server: one filter over texts of JSON, so that no
 * route has to think of it.
 */
import { realpathSync } from 'node:fs';

export type Redact = (json: string) => string;

export function createRedactor(storeRoot: string): Redact {
  const places = [...new Set([storeRoot, realPath(storeRoot)])]
    .filter((place) => place.length > 1)
    .map(toPattern);
  return (json) => places.reduce((text, place) => text.replace(place, '(store)'), json);
}

/**
 * The path inside a JSON text, where no longer path begins or ends with it: `/store` is not in `/store-2` or `/a/store`. A
 * letter before it may be the end of an escape such as `\n`.
 */
function toPattern(place: string): RegExp {
  const text = JSON.stringify(place).slice(1, -1);
  const escaped = text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const begins = '(?:(?<![\\p{L}\\p{N}_.-])|(?<=\\\\(?:[bfnrt]|u[0-9a-f]{4})))';
  const ends = '(?![\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}])';
  return new RegExp(begins + escaped + ends, 'gu');
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // Not there yet.
    return path;
  }
}
