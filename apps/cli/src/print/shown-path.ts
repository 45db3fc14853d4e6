/**
 * Paths as shown to the user: relative to the working directory if inside it.
 */
import { isAbsolute, relative } from 'node:path';

export function toShownPath(path: string): string {
  const relativePath = relative(process.cwd(), path);
  return relativePath === '' || relativePath.startsWith('..') || isAbsolute(relativePath)
    ? path
    : relativePath;
}
