/** Sources to import, from `fixtures`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSourceTree, type SourceTree } from '../import/source/read-source.ts';

export type SourceFiles = Readonly<Record<string, string>>;

export function sourceTree(files: SourceFiles, name = 'garden'): SourceTree {
  return createSourceTree(
    name,
    new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])),
  );
}

export const V6_MODULE = readSource('garden');
export const CLASSIC = readSource('weeds');
export const SKILLS = readSource('skills');
export const THEATRE = readSource('theatre');
export const LABORATORY = readSource('lab');
export const MUSEUM_MODULE = readSource('museum', (text) =>
  // A step over 16 KiB.
  text.replace(/^- A room has one thought\..*\n/m, (line) => line.repeat(230)),
);

function readSource(name: string, change = (text: string): string => text): SourceFiles {
  const folder = join(import.meta.dirname, 'fixtures', name);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(
    paths.map((path) => [path.slice(folder.length + 1), change(readFileSync(path, 'utf8'))]),
  );
}
