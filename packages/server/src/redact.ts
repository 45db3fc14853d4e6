/**
 * Keeps the place of the private store out of everything that leaves the server: one filter over texts of JSON, so that no
 * route has to think of it.
 */
import { realpathSync } from 'node:fs';

export type Redact = (json: string) => string;

export function createRedactor(storeRoot: string): Redact {
  const places = [...new Set([storeRoot, realPath(storeRoot)])]
    .filter((place) => place.length > 1)
    .sort((a, b) => b.length - a.length)
    // As it stands inside a JSON text.
    .map((place) => JSON.stringify(place).slice(1, -1));
  return (json) => places.reduce((text, place) => text.replaceAll(place, '(store)'), json);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // Not there yet.
    return path;
  }
}
