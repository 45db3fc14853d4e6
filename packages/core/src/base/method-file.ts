/** The one-file form of a package, as a path: a Markdown file, alone or with others in a folder. */
import { dirname } from 'node:path';

/** The name of the file in a folder that has more than the method, such as assets and tests. */
export const METHOD_FILE = 'method.md';

/** Whether the path is that of a method, not of an archive or a folder. */
export function isMethodFile(path: string): boolean {
  return /\.md$/i.test(path);
}

/** The folder of a package as its author has it, with its tests: for a method by its path, the folder it is in. */
export function toAuthorFolder(path: string): string {
  return isMethodFile(path) ? dirname(path) : path;
}
