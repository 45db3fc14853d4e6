/**
 * A path as the person would open it from where they are.
 */
import { isAbsolute, relative } from 'node:path';

export function toShownPath(path: string): string {
  const way = relative(process.cwd(), path);
  return way === '' || way.startsWith('..') || isAbsolute(way) ? path : way;
}
