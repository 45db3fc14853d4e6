/** Whether a real path is a folder or below it. */
import { isAbsolute, relative, sep } from 'node:path';

export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (!isAbsolute(way) && way !== '..' && !way.startsWith(`..${sep}`));
}
